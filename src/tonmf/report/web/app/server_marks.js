import { ask, ofModel } from "./api.js";
import { explained, scored } from "./explaining.js";
import { marksElsewhere } from "../shared/marks_bar.js";

/** Likeness from which on a marked document is the same document; as in explanations. */
const THE_SAME = 0.999;

const KEPT = "The server keeps marks with its model: they count for everyone who uses it.";

/**
 * A reader's marks on scored documents: the server keeps them with its model, and scores the documents anew.
 *
 * @param {object[]} sent the documents, by place.
 * @param {(string|null)[]} called what the server calls each in its marks, by place; null if it does not know it.
 * @param {{columns: object, limits: object, marks: object}} about `marks` are those that the server has, by id.
 * @param {function(Float64Array, number)} follow gets the score of each place, and the threshold.
 */
export function serverMarks(sent, called, { columns, limits, marks }, follow) {
  const names = [...called];
  let known = new Map(Object.entries(marks));

  /** Take up the marks that the server has now, and score the documents by them. */
  async function take(answer) {
    known = new Map(Object.entries(answer.marks));
    const { threshold, answers } = await scored(sent, limits);
    follow(Float64Array.from(answers, ({ score }) => score), threshold);
  }

  async function set(place, mark) {
    const id = names[place];
    if (mark === null && !known.has(id)) return;
    const one = mark === null ? { id, mark } : { ...sent[place], id, mark };
    const answer = await ask(ofModel("/marks"), { method: "POST", body: JSON.stringify({ marks: [one] }) });
    names[place] = answer.marked[0];
    await take(answer);
  }

  function notes() {
    const here = new Set(names);
    return [KEPT, ...marksElsewhere([...known.keys()].filter((id) => !here.has(id)))];
  }

  const markOf = (place) => known.get(names[place]) ?? null;
  return {
    markOf,
    canMark: (place) => place < columns.judged,
    all: () => [...known],
    notes,
    saidOf: (place) => (markOf(place) ? `You marked it as ${markOf(place)}.` : ""),
    set,
    clear: async () => take(await ask(ofModel("/marks"), { method: "DELETE" })),
  };
}

/**
 * Return what the server calls documents in its marks: those with ids of the reader's by their ids, others by their content,
 * if they are marked already.
 */
export async function namesInMarks(documents, isNamed, marks, limits) {
  if (isNamed) return documents.map(({ id }) => id);
  if (!Object.keys(marks).some((id) => id.startsWith("new-"))) return documents.map(() => null);
  const answers = await explained(documents, limits, { pieces: false, n_words: 1, n_nearest: 0 });
  return answers.map(ownMark);
}

/** Return what the server calls a document that is marked already; null if it is not. */
function ownMark({ marks }) {
  return (marks ?? []).find(({ id, likeness }) => id.startsWith("new-") && likeness >= THE_SAME)?.id ?? null;
}
