import { decimal } from "./format.js";

/** What a sentence says of the threshold, up to the rank; with a false-discovery rate it says nothing of the threshold. */
const OF_THE_THRESHOLD = /^(?:Not flagged|Flagged)\b.*?(?=rank [\d,]+ of )/;

/** Split the sentence of an explanation into the verdict and the reason, which may be all of it; both empty if there is none. */
export function partsOfSentence(shown) {
  const sentence = shown.sentence ?? "";
  const reason = shown.reason ?? sentence;
  const isEnd = reason !== "" && sentence.endsWith(reason);
  return isEnd ? [sentence.slice(0, -reason.length).trimEnd(), reason] : [sentence, ""];
}

/** Return a verdict as it is at another threshold than the one that it was written for. */
export function verdictAt(verdict, isFlagged, score, threshold) {
  const margin = decimal(Math.abs(score - threshold));
  const where = `${margin} ${score > threshold ? "above" : "below"} the threshold of ${decimal(threshold)}`;
  const flagged = isFlagged ? "Flagged" : "Not flagged";
  return verdict.replace(OF_THE_THRESHOLD, () => `${flagged}: its score of ${decimal(score)} is ${where}, `);
}

/**
 * What to say above a sentence that was written before marks changed the score; empty if they did not.
 *
 * @param {number} place
 * @param {object} columns
 * @param {boolean} isFlagged
 * @param {{saidOf: function(number): string}} [marker]
 */
export function sinceMarks(place, columns, isFlagged, marker) {
  const current = decimal(columns.score[place]);
  if (current === decimal(columns.reported[place])) return "";
  const now = `With your marks it scores ${current} and is ${isFlagged ? "flagged" : "not flagged"}.`;
  return [now, marker?.saidOf(place), "Before them:"].filter(Boolean).join(" ");
}
