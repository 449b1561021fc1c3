/** Scores no further apart are equal, and have the same rank; as in Python. */
const SAME_SCORE = 1e-6;

/**
 * Show documents by other scores, such as after marks; their places stay.
 *
 * @param {{columns: object, scores: Scores, found: {threshold: number, flagged: number}}} source `found` is the model's
 *     threshold, which changes too, and the number of scores above it.
 * @param {State} state its threshold follows unless the reader has moved it.
 * @param {Float64Array} values the score of each place.
 * @param {number} threshold
 */
export function rerank({ columns, scores, found }, state, values, threshold) {
  const isOwn = state.threshold === found.threshold;
  const order = columns.order.slice(0, columns.judged);
  // Documents with the same score stay in input order.
  order.sort((one, other) => values[other] - values[one] || columns.row[one] - columns.row[other]);
  columns.order.set(order);
  columns.order.forEach((place, number) => (columns.standing[place] = number));
  columns.score.set(values);
  const descending = Float64Array.from(order, (place) => values[place]);
  ranksOf(descending).forEach((rank, number) => (columns.rank[order[number]] = rank));
  scores.take(descending);
  Object.assign(found, { threshold, flagged: scores.count(threshold) });
  state.set({ ranked: state.ranked + 1, ...(isOwn && { threshold }) });
}

/** 1 + the number of higher scores, for scores that descend. */
export function ranksOf(scores) {
  let higher = 0;
  return Array.from(scores, (score) => {
    while (scores[higher] > score + SAME_SCORE) higher += 1;
    return higher + 1;
  });
}
