import { counted, decimal, isolated, whole } from "../shared/format.js";
import { marksElsewhere } from "../shared/marks_bar.js";
import { LikenessRows } from "./likeness.js";
import { gapOf, markEffects, movedThreshold, thresholdForShare } from "./mark_effects.js";
import { MarkStore } from "./mark_store.js";

/** Likeness from which on a marked document is listed as a reason; as in explanations. */
const LEAST_LIKE = 0.1;

/** Marked documents to look at for a reason; as in explanations. */
const MOST_LIKE = 3;

/**
 * A reader's marks on a report: they live in the page, which re-ranks by the detector's own rule (docs/method/detector.md).
 *
 * @param {object} marking of the report (`tonmf.report.marking`).
 * @param {object} columns of the documents.
 * @param {{word: string, threshold: number}} analysed the name of a document's units, and the threshold of the report.
 * @param {function(Float64Array, number)} follow gets the score of each document, and the threshold.
 */
export function pageMarks(marking, columns, { word, threshold }, follow) {
  const { rule, row_of: rowOf, unmarked, ordinary, room } = marking;
  const n_markable = marking.documents;
  const rows = new LikenessRows(marking.rows, rule);
  const store = new MarkStore(marking.fingerprint);
  const known = new Map(marking.marks.map((mark) => [mark.id, mark]));
  const placeOf = new Map();
  for (let place = n_markable - 1; place >= 0; place--) placeOf.set(columns.id[place], place);
  const reported = marking.marks.map(({ id, mark }) => [id, mark]);
  let marks = new Map(reported);
  let effects = null;
  let listed = [];

  /** Return a mark with its row and gap; null if the document is not in the page. */
  function measured([id, mark]) {
    const before = known.get(id);
    if (before?.mark === mark) return before;
    const place = placeOf.get(id);
    if (place !== undefined) return { id, mark, row: rowOf[place], gap: gapOf(mark, unmarked[place], rule) };
    if (!before) return null;
    const score = rule.unit * (rule.wanted[before.mark] - before.gap);
    return { ...before, mark, gap: gapOf(mark, score, rule) };
  }

  /** Re-rank. Documents without a row keep their scores; with the marks of the report, all do. */
  function update() {
    listed = [...marks].map(measured).filter(Boolean);
    effects = listed.length > 0 ? markEffects(rows, rule, listed) : null;
    const values = columns.reported.slice();
    if (sameMarks([...marks], reported)) return follow(values, threshold);
    for (let place = 0; place < n_markable; place++) {
      values[place] = unmarked[place] + (effects ? effects.on(rowOf[place]) : 0);
    }
    follow(values, thresholdOf(values));
  }

  function thresholdOf(values) {
    if (effects === null) return rule.threshold;
    if (rule.share !== null) return thresholdForShare(values.subarray(0, columns.judged), rule.share);
    return movedThreshold(
      ordinary.rows.map((row) => effects.on(row)),
      rule,
    );
  }

  function change(next) {
    marks = next;
    store.write([...marks]);
    update();
  }

  /** Say what marks did to a score: `Explanation.main_mark`. */
  function saidOf(place) {
    const own = marks.get(columns.id[place]);
    if (own) return `You marked it as ${own}.`;
    if (effects === null || place >= n_markable) return "";
    const row = rowOf[place];
    const added = columns.score[place] - unmarked[place];
    if (Math.abs(added) < rule.little * Math.abs(rule.threshold)) return "";
    const agreeing = added > 0 ? "strange" : "fine";
    const near = listed
      .map((mark) => ({ ...mark, likeness: rows.between(row, mark.row) }))
      .filter(({ likeness }) => likeness >= LEAST_LIKE)
      .sort((one, other) => other.likeness - one.likeness)
      .slice(0, MOST_LIKE)
      .find(({ mark }) => mark === agreeing);
    if (!near) return "";
    const which = `${isolated(near.id)}, which you marked as ${near.mark}`;
    return rows.isBare(row) ? `Like ${which}, it has no known ${word}.` : `It is ${decimal(near.likeness)} like ${which}.`;
  }

  function notes() {
    const elsewhere = [...marks.keys()].filter((id) => !placeOf.has(id));
    const { length } = ordinary.rows;
    return [
      ...marksElsewhere(elsewhere),
      n_markable < columns.judged &&
        `Only the ${counted(n_markable, "strangest document")} can be marked and re-ranked here, as many as fit into ` +
          `${whole(room / 1e6)} MB. The others keep their scores; tonmf detect --marks re-ranks all.`,
      length < ordinary.all &&
        rule.share === null &&
        `The threshold follows ${whole(length)} of ${counted(ordinary.all, "ordinary document")}, so it may differ a little.`,
      !store.isKept && marks.size > 0 && "Your browser does not store these marks. Download them before you close the page.",
    ].filter(Boolean);
  }

  return {
    markOf: (place) => marks.get(columns.id[place]) ?? null,
    canMark: (place) => place < n_markable,
    all: () => [...marks],
    notes,
    saidOf,
    set: async (place, mark) => {
      const next = new Map(marks);
      next.delete(columns.id[place]);
      if (mark !== null) next.set(columns.id[place], mark);
      change(next);
    },
    clear: async () => change(new Map()),
    /** Take up the marks of an earlier visit, or those that a server knows. */
    restore: () => {
      const before = givenMarks() ?? store.read();
      if (before === null || sameMarks(before, [...marks])) return;
      marks = new Map(before);
      update();
    },
  };
}

/** Return the marks that a server has put into the page; null if there are none. */
function givenMarks() {
  const given = document.querySelector('meta[name="marks"]')?.content;
  return given ? JSON.parse(given) : null;
}

function sameMarks(some, others) {
  const inOrder = (pairs) => JSON.stringify([...pairs].sort());
  return inOrder(some) === inOrder(others);
}
