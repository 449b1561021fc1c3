import { element } from "../shared/dom.js";
import { bytesInWords } from "./file_field.js";
import { counted, decimal, whole } from "../shared/format.js";
import { flaggedIf } from "../shared/threshold.js";
import { modelsList } from "./models_list.js";
import { topicsTable } from "../shared/topics_section.js";

/**
 * A model: its corpus, its threshold, which `state` has and marks move, its versions and its topics; and all models.
 *
 * @param {function(string|null)} use shows the page for another model.
 */
export function modelView(model, state, use) {
  const facts = element("div");
  const follow = () => facts.replaceChildren(aboutList(factsOf({ ...model, threshold: state.threshold })));
  state.on(["threshold"], follow);
  follow();
  const heading = element("h2", { id: "model-heading", tabindex: -1, class: "unseen" }, "The model");
  const view = element(
    "section",
    { id: "model", "aria-labelledby": "model-heading" },
    heading,
    facts,
    modelsList(model, use),
    element("h3", {}, "Topics"),
    topicsTable(model.topics),
    element("h3", {}, "The server"),
    aboutList(limitsOf(model.limits)),
    element(
      "p",
      { class: "note" },
      "For programs: ",
      element("a", { href: "/docs" }, "the API"),
      ", also ",
      element("a", { href: "/openapi.json" }, "as OpenAPI"),
      ".",
    ),
  );
  return { view, heading };
}

/** Return the model in one line. */
export function modelInShort({ documents, terms, topics, word, threshold }) {
  const counts = [counted(documents, "document"), counted(terms, word), counted(topics.length, "topic")];
  return `${counts.join(", ")}; threshold ${decimal(threshold)}`;
}

function factsOf({ documents, kind, terms, word, threshold, contamination, embedder, provenance }) {
  const { saved, ...versions } = provenance;
  return [
    ["Fitted on", `${counted(documents, "document")} (${kind})`],
    ["Vocabulary", counted(terms, word)],
    ...(embedder ? [["Embeddings", embedder]] : []),
    ["Flagged if", flaggedIf({ threshold, contamination })],
    ["Saved", saved ? new Date(saved).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" }) : "not known"],
    ["Made with", Object.entries(versions).map(([name, version]) => `${name} ${version}`).join(", ")],
  ];
}

function limitsOf(limits) {
  return [
    ["A request", `${bytesInWords(limits.body)} and ${counted(limits.batch, "document")} at most`],
    ["A text", `${counted(limits.text, "character")} at most`],
    ["A corpus", `${bytesInWords(limits.upload)} at most`],
    ["Jobs", `${whole(limits.jobs)} are kept; each may take up to ${whole(Math.round(limits.job_seconds / 60))} min`],
  ];
}

function aboutList(facts) {
  const pairs = facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)));
  return element("dl", { class: "about" }, pairs);
}
