import { element } from "../shared/dom.js";
import { counted, flaggedOf, percent, unjudgedOf, whole } from "../shared/format.js";
import { themeButton } from "../shared/theme.js";
import { flaggedIf } from "../shared/threshold.js";

/** What was analysed and how, in brief; details unfold. */
export function header(summary, state, found, sections) {
  const { analysed, title, notes, made } = summary;
  const rule = element("dd");
  const verdict = element("p", { class: "verdict" });
  function follow() {
    const count = whole(state.flagged);
    const rest = flaggedOf(state.flagged, analysed.documents).slice(count.length);
    verdict.replaceChildren(element("strong", {}, count), rest);
    rule.textContent = flaggedIf(found);
  }
  state.on(["threshold", "ranked"], follow);
  follow();
  return element(
    "header",
    { class: "page-header" },
    element(
      "div",
      { class: "bar-above" },
      element(
        "nav",
        { "aria-label": "Sections" },
        sections.map(([id, name]) => element("a", { href: `#${id}` }, name)),
      ),
      themeButton(),
    ),
    element("h1", { dir: "auto" }, title),
    verdict,
    analysed.empty > 0 && element("p", { class: "note" }, unjudgedOf(analysed.empty, analysed.word)),
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

export function footer({ made }) {
  return element("footer", { class: "page-footer" }, `Made with tonmf ${made.tonmf}, ${dateOf(made.when)}.`);
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

/** Format a time in UTC, so that a report reads the same everywhere. */
function dateOf(when) {
  const date = new Date(when);
  if (Number.isNaN(date.getTime())) return String(when);
  const [day, time] = date.toISOString().split("T");
  return `${day} ${time.slice(0, 5)} UTC`;
}
