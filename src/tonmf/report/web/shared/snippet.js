import { shortened } from "./format.js";

/** How far to look back for the beginning of a sentence, as a share of the snippet. */
const BEFORE = 0.35;

/**
 * Return the part of a text, in pieces, that has most of its unexpected words, on one line.
 *
 * @param {(string|[string, number])[]} pieces strings, and unexpected words with their shares.
 * @param {number} length of the snippet in characters.
 */
export function snippetOf(pieces, length) {
  const words = wordsOf(pieces);
  const end = words.length > 0 ? words.at(-1).end : 0;
  const start = end <= length ? 0 : beginning(words, best(words, length), length);
  const kept = words.filter((word) => word.start >= start && word.end <= start + length);
  if (kept.length === 0) return words.length > 0 ? [shortened(words[0].text, length)] : [];
  const texts = [];
  if (kept[0] !== words[0]) texts.push("… ");
  kept.forEach(({ text, share, isAttached }, number) => {
    if (number > 0 && !isAttached) texts.push(" ");
    texts.push(share > 0 ? [text, share] : text);
  });
  if (kept.at(-1) !== words.at(-1)) texts.push(" …");
  return joined(texts);
}

/** Return the words of a text with their places in it, if single blanks were between them. */
function wordsOf(pieces) {
  const words = [];
  let [at, isAttached] = [0, false];
  for (const piece of pieces) {
    const [text, share] = typeof piece === "string" ? [piece, 0] : piece;
    for (const part of text.split(/(\s+)/)) {
      if (part === "") continue;
      if (/^\s/.test(part)) {
        isAttached = false;
        continue;
      }
      const start = at + (isAttached || words.length === 0 ? 0 : 1);
      words.push({ text: part, share, start, end: start + part.length, isAttached });
      [at, isAttached] = [start + part.length, true];
    }
  }
  return words;
}

/** Return the number of the first word of the stretch with the largest shares, which begins with an unexpected word. */
function best(words, length) {
  const room = (1 - BEFORE) * length;
  let [found, most, sum, last] = [0, -1, 0, 0];
  for (let first = 0; first < words.length; first++) {
    while (last < words.length && words[last].end <= words[first].start + room) sum += words[last++].share;
    if (words[first].share > 0 && sum > most + 1e-9) [found, most] = [first, sum];
    if (last > first) sum -= words[first].share;
    else last = first + 1;
  }
  return found;
}

/** Return where to begin so that a stretch comes with what leads to it, at the beginning of a sentence if one is near. */
function beginning(words, first, length) {
  const earliest = words[first].start - BEFORE * length;
  if (earliest <= 0) return 0;
  for (let number = first; number > 0 && words[number].start >= earliest; number--) {
    if (/[.!?…]["'”’)]*$/.test(words[number - 1].text)) return words[number].start;
  }
  // Without a sentence, a few words before it; never in the middle of what has no blank in it.
  const near = words.findIndex((word) => word.start >= words[first].start - 0.1 * length);
  return words[near].start;
}

/** Put neighbouring strings together. */
function joined(texts) {
  const pieces = [];
  for (const text of texts) {
    if (typeof text === "string" && typeof pieces.at(-1) === "string") pieces[pieces.length - 1] += text;
    else pieces.push(text);
  }
  return pieces;
}
