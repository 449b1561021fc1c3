import { Documents, columnsOf } from "../shared/data.js";
import { documentView } from "../shared/document_view.js";
import { element } from "../shared/dom.js";
import { decimal, flaggedOf, unjudgedOf } from "../shared/format.js";
import { LIST_STATE, rankedList } from "../shared/list.js";
import { ranksOf } from "../shared/rerank.js";
import { scoreSection } from "../shared/score_section.js";
import { Scores } from "../shared/scores.js";
import { State } from "../shared/state.js";

/** The least number of documents for which a plot shows more than the list. */
const ENOUGH_TO_PLOT = 8;

/**
 * Show explained documents: one by itself, several as in a report.
 *
 * @param {object[]} answers of the server, in input order.
 * @param {object[]} sent the documents.
 * @param {{topics: object[], word: string, contamination: (number|string), title: string}} about of the model, and a title
 * @returns {{view: HTMLElement, heading: HTMLElement}}
 */
export function resultsOf(answers, sent, about) {
  return answers.length === 1 ? oneResult(answers[0], about) : manyResults(answers, sent, about);
}

function oneResult(answer, { topics, word }) {
  const verdict = answer.judged
    ? `Score ${decimal(answer.score)}, ${answer.outlier ? "" : "not "}flagged`
    : "Not judged";
  const heading = element(
    "h2",
    { tabindex: -1, class: "result-heading" },
    element("strong", { class: answer.outlier && "is-flagged" }, verdict),
    answer.judged && element("small", {}, ` The threshold is ${decimal(answer.threshold)}.`),
  );
  const view = element("section", { class: "results", "aria-label": "Result" }, heading, documentView(answer, topics, word));
  return { view, heading };
}

function manyResults(answers, sent, { topics, word, contamination, title }) {
  const { ranked, columns } = inOrder(answers, sent);
  const found = { threshold: ranked[0].threshold, flagged: answers.filter(({ outlier }) => outlier).length };
  const scores = new Scores(columns.score.subarray(0, columns.judged), found);
  const state = new State({ ...LIST_STATE, ...found });
  // First of all followers, because the others read the number of flagged documents.
  state.on(["threshold"], () => (state.flagged = scores.above(state.threshold)));
  const documents = new Documents(ranked.length, ranked.length, async () => ranked);
  const list = rankedList({ columns, documents, scores, topics, groups: [], title, word, flagged: found.flagged }, state);
  const count = element("strong");
  const name = element("small", { dir: "auto" }, ` ${title}`);
  const heading = element("h2", { tabindex: -1, class: "result-heading" }, count, name);
  function follow() {
    count.classList.toggle("is-flagged", state.flagged > 0);
    count.textContent = flaggedOf(state.flagged, ranked.length);
  }
  state.on(["threshold"], follow);
  follow();
  const control = { ...found, contamination, documents: ranked.length };
  const unjudged = unjudgedOf(ranked.length - columns.judged, word);
  const note = unjudged !== "" && element("p", { class: "note" }, unjudged);
  const plots = columns.judged >= ENOUGH_TO_PLOT && scoreSection(columns, scores, state, control, list.reveal);
  const view = element("section", { class: "results", "aria-label": "Results" }, heading, note, plots, list.view);
  return { view, heading };
}

/** Sort documents by score, the strangest first, those that are not judged last; return them and their columns. */
function inOrder(answers, sent) {
  const all = answers.map((_, row) => row);
  const judged = all.filter((row) => answers[row].judged).sort((one, other) => answers[other].score - answers[one].score);
  const rows = [...judged, ...all.filter((row) => !answers[row].judged)];
  const ranked = rows.map((row) => answers[row]);
  const nowhere = new Float32Array(rows.length); // there is no map here
  const columns = columnsOf({
    row: rows,
    rank: ranksOf(ranked.map((answer) => (answer.judged ? answer.score : -Infinity))),
    id: ranked.map(({ id }) => id),
    score: ranked.map(({ score }) => score),
    topic: ranked.map(({ topic }) => topic ?? 0),
    alarm: ranked.map((answer) => answer.main_alarm ?? ""),
    x: nowhere,
    y: nowhere,
    label: null,
    first: firstsOf(rows.map((row) => contentKey(sent[row]))),
  });
  return { ranked, columns };
}

/** Return what exact copies have in common, as the key of a map. */
function contentKey({ text, items, counts }) {
  return text ?? JSON.stringify(items ? items.map(String).sort() : Object.entries(counts).sort());
}

/** Return for each place the first with the same content. */
function firstsOf(contents) {
  const first = new Map();
  return contents.map((content, place) => {
    if (!first.has(content)) first.set(content, place);
    return first.get(content);
  });
}
