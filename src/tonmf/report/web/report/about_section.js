import { element } from "../shared/dom.js";
import { counted, percent, whole } from "../shared/format.js";
import { flaggedIf } from "../shared/threshold.js";
import { dateOf } from "./header.js";

/** What was analysed and how, and what a reader should know of it; details unfold. */
export function aboutSection({ analysed, notes, made }, state, found) {
  const rule = element("dd");
  const follow = () => (rule.textContent = flaggedIf(found));
  state.on(["threshold", "ranked"], follow);
  follow();
  return element(
    "section",
    { id: "about", "aria-labelledby": "about-heading" },
    element("h2", { id: "about-heading" }, "About this report"),
    factList([...mainFacts(analysed), ["Flagged if", rule]]),
    notes.length > 0 &&
      element(
        "ul",
        { class: "notes" },
        notes.map((note) => element("li", { dir: "auto" }, note)),
      ),
    element(
      "details",
      { class: "how" },
      element("summary", {}, "How it was done"),
      factList(otherFacts(analysed, made)),
    ),
  );
}

function mainFacts(analysed) {
  const { documents, kind, word, training, topics } = analysed;
  const fitted = training.same
    ? `these documents, ${counted(training.terms, `distinct ${word}`)}`
    : `${counted(training.documents, "other document")}, ${counted(training.terms, `distinct ${word}`)}`;
  return [
    ["Analysed", `${counted(documents, "document")} (${kind})`],
    ["Fitted on", fitted],
    ["Topics", topics ? whole(topics) : "none"],
  ];
}

function otherFacts({ contamination, seed, fits, options }, made) {
  const changed = Object.entries(options ?? {}).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const { when, ...versions } = made;
  return [
    ["Made", dateOf(when)],
    ["Contamination", typeof contamination === "number" ? percent(contamination) : "automatic"],
    ["Seed", seed === null || seed === undefined ? "none" : String(seed)],
    ["Fits", `${whole(fits)}, at several scales`],
    ["Options", changed.length > 0 ? changed.join(", ") : "defaults"],
    [
      "Versions",
      Object.entries(versions)
        .map(([name, version]) => `${name} ${version}`)
        .join(", "),
    ],
  ];
}

function factList(facts) {
  return element(
    "dl",
    { class: "about" },
    facts.map(([name, value]) => element("div", {}, element("dt", {}, name), ddOf(value))),
  );
}

function ddOf(value) {
  return value instanceof Node ? value : element("dd", {}, value);
}
