import { comparison } from "./comparison.js";
import { columnsOf } from "../shared/data.js";
import { documentView } from "../shared/document_view.js";
import { element } from "../shared/dom.js";
import { explained } from "./explaining.js";
import { decimal, flaggedOf, unjudgedOf } from "../shared/format.js";
import { LIST_STATE, rankedList } from "../shared/list.js";
import { markButtons } from "../shared/mark_buttons.js";
import { problemLine } from "./notices.js";
import { ReasonsOnDemand } from "./reasons.js";
import { ranksOf, rerank } from "../shared/rerank.js";
import { scoreSection } from "../shared/score_section.js";
import { Scores } from "../shared/scores.js";
import { serverMarks } from "./server_marks.js";
import { State } from "../shared/state.js";

/** The least number of documents for which a plot shows more than the list. */
const ENOUGH_TO_PLOT = 8;

/**
 * Show scored documents: one by itself, several as in a report.
 *
 * @param {object[]} answers of the server, in input order: the explanation of a single document, the scores of several.
 * @param {object[]} sent the documents.
 * @param {{topics: object[], word: string, contamination: (number|string), limits: object, title: string, marks: object,
 *     names: (string|null)[], threshold: number, drift: (string|null), onThreshold: function(number)}} about of the model, a title, what
 *     `serverMarks` takes, and a function that gets the threshold when marks move it.
 * @returns {{view: HTMLElement, heading: HTMLElement}}
 */
export function resultsOf(answers, sent, about) {
  return answers.length === 1 ? oneResult(answers[0], sent, about) : manyResults(answers, sent, about);
}

function oneResult(answer, sent, about) {
  const { columns, marker, state, found } = ranked([answer], sent, about);
  const heading = element("h2", { tabindex: -1, class: "result-heading" });
  let shown = documentView(answer, about.topics, about.word);
  let asked = 0;

  /** Show the reasons for the score with the marks that there are now. */
  async function explainAnew() {
    const number = ++asked;
    const [now] = await explained(sent, about.limits);
    if (number !== asked) return;
    const before = shown;
    shown = documentView(now, about.topics, about.word);
    before.replaceWith(shown);
  }

  function follow() {
    const isFlagged = state.flagged > 0;
    const verdict = answer.judged ? `Score ${decimal(columns.score[0])}, ${isFlagged ? "" : "not "}flagged.` : "Not judged";
    heading.replaceChildren(
      element("strong", isFlagged ? { class: "is-flagged" } : {}, verdict),
      ...(answer.judged ? [element("small", {}, ` The threshold is ${decimal(found.threshold)}.`)] : []),
    );
  }
  state.on(["ranked"], follow);
  follow();
  const view = element(
    "section",
    { class: "results", "aria-label": "Result" },
    heading,
    answer.judged && oneDocumentMarks(columns, marker, state, explainAnew),
    shown,
  );
  return { view, heading };
}

/** Buttons for the marks on a single document; `onMarked` is called after each. */
function oneDocumentMarks(columns, marker, state, onMarked) {
  const problem = problemLine();
  const buttons = markButtons(0, columns, marker.markOf, toggle);
  const said = element("span", { class: "note", role: "status" });

  async function toggle(place, mark) {
    problem.say();
    try {
      await marker.set(place, marker.markOf(place) === mark ? null : mark);
      await onMarked();
    } catch (error) {
      problem.say(error.message);
    }
  }

  function follow() {
    buttons.refresh();
    said.textContent = marker.saidOf(0);
  }
  state.on(["ranked"], follow);
  follow();
  return element("div", { class: "one-mark controls" }, ...buttons.view.childNodes, said, problem.view);
}

/** Rank scored documents, and let them be marked. */
function ranked(answers, sent, { contamination, limits, marks, names, threshold, onThreshold }) {
  const { inRank, columns } = inOrder(answers, sent);
  const flagged = answers.filter(({ outlier }) => outlier).length;
  const found = { threshold, flagged, contamination, documents: inRank.length };
  const scores = new Scores(columns.score.slice(0, columns.judged), found);
  const state = new State({ ...LIST_STATE, threshold: found.threshold, flagged });
  // First of all followers, because the others read the number of flagged documents.
  state.on(["threshold", "ranked"], () => (state.flagged = scores.above(state.threshold)));
  const [byPlace, calledByPlace] = [sent, names].map((each) => Array.from(columns.row, (row) => each[row]));
  // The reasons of a document have the score that it had when they came.
  const documents = new ReasonsOnDemand(byPlace, limits, (place, { score }) => (columns.reported[place] = score));
  const follow = (values, now) => {
    documents.forget();
    rerank({ columns, scores, found }, state, values, now);
    onThreshold(now);
  };
  const marker = serverMarks(byPlace, calledByPlace, { columns, limits, marks }, follow);
  return { inRank, columns, documents, scores, state, found, marker, flagged };
}

function manyResults(answers, sent, about) {
  const { inRank, columns, documents, scores, state, found, marker, flagged } = ranked(answers, sent, about);
  const { topics, word, title } = about;
  const list = rankedList({ columns, documents, scores, topics, groups: [], title, word, flagged, found, marker }, state);
  const count = element("strong");
  const name = element("small", { dir: "auto" }, ` ${title}`);
  const heading = element("h2", { tabindex: -1, class: "result-heading" }, count, name);
  function follow() {
    count.classList.toggle("is-flagged", state.flagged > 0);
    count.textContent = flaggedOf(state.flagged, inRank.length);
  }
  state.on(["threshold", "ranked"], follow);
  follow();
  const unjudged = unjudgedOf(inRank.length - columns.judged, word);
  const note = unjudged !== "" && element("p", { class: "note" }, unjudged);
  const plots = columns.judged >= ENOUGH_TO_PLOT && scoreSection(columns, scores, state, found, list.reveal);
  const drift = about.drift && element("p", { class: "drift" }, about.drift);
  const compared = comparison(sent, answers, about);
  const view = element("section", { class: "results", "aria-label": "Results" }, heading, note, drift, compared, plots, list.view);
  return { view, heading };
}

/** Sort documents by score, the strangest first, those that are not judged last; return them and their columns. */
function inOrder(answers, sent) {
  const all = answers.map((_, row) => row);
  const judged = all.filter((row) => answers[row].judged).sort((one, other) => answers[other].score - answers[one].score);
  const rows = [...judged, ...all.filter((row) => !answers[row].judged)];
  const inRank = rows.map((row) => answers[row]);
  const nowhere = new Float32Array(rows.length); // there is no map here
  const columns = columnsOf({
    row: rows,
    rank: ranksOf(inRank.map((answer) => (answer.judged ? answer.score : -Infinity))),
    id: inRank.map(({ id }) => id),
    score: inRank.map(({ score }) => score),
    topic: inRank.map(({ topic }) => topic ?? 0),
    alarm: inRank.map((answer) => answer.main_alarm ?? ""),
    x: nowhere,
    y: nowhere,
    label: null,
    first: firstsOf(rows.map((row) => contentKey(sent[row]))),
  });
  return { inRank, columns };
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
