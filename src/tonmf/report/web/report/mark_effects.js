import { solveCholesky } from "./cholesky.js";

/**
 * What marks add to scores: `tonmf.detector.marks.effects`, where the formulas are.
 *
 * @param {LikenessRows} rows
 * @param {object} rule `unit`, `noise`, `wanted` (the score that each mark stands for, in units) and `least_rise`.
 * @param {{row: number, gap: number}[]} marks the rows of marked documents, and how far each was from its mark.
 * @returns {{pulls: Float64Array, on: function(number): number}} `on` returns what marks add to the score of a row.
 */
export function markEffects(rows, rule, marks) {
  const marked = marks.map(({ row }) => row);
  const gaps = marks.map(({ gap }) => gap);
  const solution = solveCholesky((one, other) => rows.between(marked[one], marked[other]), rule.noise, gaps);
  const pulls = solution.map((value) => rule.unit * (1 + rule.noise) * value);
  return { pulls, on: rows.combined(marked, pulls) };
}

/** Return how far a score without marks is from where a mark wants it, in units: `tonmf.detector.marks.marks`. */
export function gapOf(mark, score, { unit, wanted, least_rise }) {
  const gap = wanted[mark] - score / unit;
  return mark === "strange" ? Math.max(gap, least_rise) : Math.min(gap, 0);
}

/** Return the threshold with marks, given what these add to the scores of ordinary documents. */
export function movedThreshold(effects, { threshold, highest, level }) {
  return effects.length === 0 ? threshold : Math.min(threshold + levelOf(effects, level), highest);
}

/** Return the automatic threshold of some scores: `level_of` in `tonmf.detector.scores.scoring`. */
function levelOf(values, { widths, upper, most_flagged, upper_widths, no_lump }) {
  const ascending = Float64Array.from(values).sort();
  const [median, high, highest] = [0.5, upper, 1 - most_flagged].map((share) => quantileOf(ascending, share));
  const level = median + widths * (high - median);
  const beyond = ascending.reduce((count, value) => count + (value > level ? 1 : 0), 0);
  if (beyond <= no_lump) return level;
  const levelOfLumps = median + (widths * (highest - median)) / upper_widths;
  const lumps = Math.min(Math.max(beyond / ascending.length / most_flagged - 1, 0), 1);
  return level + lumps * Math.max(levelOfLumps - level, 0);
}

/** Return the smallest value with at least this share of all at or below it. */
function quantileOf(ascending, share) {
  return ascending[Math.max(Math.ceil(share * ascending.length * (1 - 1e-12)) - 1, 0)];
}

/** Return the score above which lies a share of the documents: `tonmf.nmf.threshold.threshold_for_share`. */
export function thresholdForShare(values, share) {
  const ascending = Float64Array.from(values).sort();
  const wanted = halfToEven(share * ascending.length) / ascending.length;
  const below = quantileOf(ascending, 1 - wanted);
  const above = ascending.find((value) => value > below);
  if (above !== undefined) return (below + above) / 2;
  const lower = ascending.findLast((value) => value < below);
  return wanted > 0 && lower !== undefined ? (lower + below) / 2 : below;
}

/** Round as Python does. */
function halfToEven(value) {
  const rounded = Math.round(value);
  return rounded - value === 0.5 && rounded % 2 === 1 ? rounded - 1 : rounded;
}
