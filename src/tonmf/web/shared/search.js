import { textOf } from "./data.js";

/**
 * The documents in which all words of a query occur, in the id, the unexpected words or the text, as an array of 0 and 1.
 *
 * Texts are unpacked part by part: `onPart(matches, searched)` is called after each. Stops, with null, when `isWanted()` is no
 * longer true, since a search of a large corpus may be overtaken by the next.
 */
export async function search(query, documents, isWanted, onPart) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = new Uint8Array(documents.length);
  let place = 0;
  for (let number = 0; number < documents.n_parts; number++) {
    for (const shown of await documents.part(number)) {
      const whole = [shown.id, ...(shown.unexpected ?? []).map(({ word }) => word), textOf(shown)]
        .join("\n")
        .toLowerCase();
      matches[place++] = words.every((word) => whole.includes(word)) ? 1 : 0;
    }
    if (!isWanted()) return null;
    onPart(matches, place);
  }
  return matches;
}
