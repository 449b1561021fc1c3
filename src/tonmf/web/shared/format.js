const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const TWO_PLACES = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** 12345 is "12,345". */
export function whole(number) {
  return WHOLE.format(number);
}

/** Scores have two places: 20.651 is "20.65". */
export function decimal(number) {
  return TWO_PLACES.format(number);
}

/** With a sign: 0.3 is "+0.30". */
export function signed(number) {
  return (number < 0 ? "−" : "+") + decimal(Math.abs(number));
}

/** 0.256 is "26 %", and what is more than nothing never reads as nothing. */
export function percent(share) {
  return share > 0 && share < 0.005 ? "< 1 %" : `${WHOLE.format(100 * share)} %`;
}

/** With one place, for shares that are small: 0.0256 is "2.6 %". */
export function finePercent(share) {
  return `${(100 * share).toFixed(1)} %`;
}

/** 1 is "1 document", 1234 is "1,234 documents". */
export function counted(number, noun) {
  return `${whole(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** 15 and 260 are "15 of 260 documents are flagged". */
export function flaggedOf(flagged, documents) {
  return `${whole(flagged)} of ${counted(documents, "document")} ${flagged === 1 || documents === 1 ? "is" : "are"} flagged`;
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A name in plain text, where it cannot be an element of its own direction: isolated by characters if it needs that. */
export function isolated(text) {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}

/** At most so many characters; "…" says that there were more. */
export function shortened(text, length) {
  if (text.length <= length) return text;
  // Half a pair would show as a broken character.
  const end = /[\uD800-\uDBFF]/.test(text[length - 2]) ? length - 2 : length - 1;
  return `${text.slice(0, end)}…`;
}
