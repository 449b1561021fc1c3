/**
 * Shade the unexpected words of a text where a report left that to the page: it marks them itself only in documents that it
 * describes in full. Words are found as they stand, whatever their case.
 *
 * @param {(string | [string, number])[]} pieces
 * @param {{word: string, share: number}[]} unexpected
 */
export function shaded(pieces, unexpected) {
  const words = unexpected.filter(({ word, share }) => share > 0 && word);
  if (words.length === 0 || pieces.some((piece) => typeof piece !== "string")) return pieces;
  const shares = new Map(words.map(({ word, share }) => [word.toLowerCase(), share]));
  const longestFirst = [...shares.keys()].sort((one, other) => other.length - one.length);
  const pattern = new RegExp(`(${longestFirst.map(asPattern).join("|")})`, "giu");
  // What a split finds is at the odd places.
  return pieces.flatMap((text) =>
    text.split(pattern).flatMap((part, place) => {
      if (part === "") return [];
      const share = place % 2 ? shares.get(part.toLowerCase()) : undefined;
      return [share === undefined ? part : [part, share]];
    }),
  );
}

const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Myanmar}\p{sc=Khmer}]/u;

/** Return the pattern of a word by itself; in scripts without spaces words stand anywhere. */
function asPattern(word) {
  const escaped = word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return UNSPACED.test(word) ? escaped : `(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{M}\\p{N}_])`;
}
