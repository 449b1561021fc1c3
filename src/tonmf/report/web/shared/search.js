import { textOf } from "./data.js";

/**
 * Find the documents whose id, unexpected words or text contain all words of a query; return an array of 0 and 1.
 *
 * Texts are unpacked part by part, and `onPart(matches, searched)` runs after each. Return null once `isWanted()` is false: the
 * next query may come while a large corpus is still being searched.
 */
export async function search(query, documents, isWanted, onPart) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = new Uint8Array(documents.length);
  let place = 0;
  for (let number = 0; number < documents.n_parts; number++) {
    for (const shown of await documents.texts(number)) {
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
