const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const TWO_PLACES = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Format 12345 as "12,345". */
export function whole(number) {
  return WHOLE.format(number);
}

/** Format a score with two decimals: 20.651 as "20.65". */
export function decimal(number) {
  return TWO_PLACES.format(number);
}

/** Format a score with its sign: 0.3 as "+0.30". */
export function signed(number) {
  return (number < 0 ? "−" : "+") + decimal(Math.abs(number));
}

/** Format 0.256 as "26 %", and a tiny share as "< 1 %", never as nothing. */
export function percent(share) {
  return share > 0 && share < 0.005 ? "< 1 %" : `${WHOLE.format(100 * share)} %`;
}

/** Format a small share with one decimal: 0.0256 as "2.6 %". */
export function finePercent(share) {
  return `${(100 * share).toFixed(1)} %`;
}

/** Format a count with its noun: "1 document", "1,234 documents". */
export function counted(number, noun) {
  return `${whole(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** Format 15 and 260 as "15 of 260 documents are flagged". */
export function flaggedOf(flagged, documents) {
  return `${whole(flagged)} of ${counted(documents, "document")} ${flagged === 1 || documents === 1 ? "is" : "are"} flagged`;
}

/** Name what a document lacks that is not judged: "words that count", or "items". */
export function usable(word) {
  return word === "word" ? "words that count" : `${word}s`;
}

/** Say how many documents were not judged, and why; nothing if there are none. */
export function unjudgedOf(count, word) {
  const [have, were] = count === 1 ? ["has", "was"] : ["have", "were"];
  return count ? `${counted(count, "document")} ${have} no ${usable(word)} and ${were} not judged.` : "";
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Isolate right-to-left text in plain text, where `ownDirection` cannot. */
export function isolated(text) {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}

/** Cut a text to a number of characters, with "…" at the end if there were more. */
export function shortened(text, length) {
  if (text.length <= length) return text;
  // Half a surrogate pair would show as a broken character.
  const end = /[\uD800-\uDBFF]/.test(text[length - 2]) ? length - 2 : length - 1;
  return `${text.slice(0, end)}…`;
}
