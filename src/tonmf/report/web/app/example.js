/** Topics that the example has a document of. */
const MOST_TOPICS = 5;

/** Texts that hardly belong anywhere. */
const ODD_TEXTS = [
  "Kindly forward this letter to ten friends before midnight, or seven years of bad luck will follow.",
  "qzxv wkjp bvcx mnqw zzkx qpwl",
];

/**
 * Return an example to try, one document per line: some that are like those that the model was fitted on, and some odd ones.
 *
 * @param {{kind: string, topics: object[]}} model
 */
export function exampleOf({ kind, topics }) {
  const some = topics.slice(0, MOST_TOPICS);
  const words = some.map((topic) => topic.words.slice(0, 6).join(" "));
  if (kind === "texts") return [...some.map(({ typical }, number) => textAmong(typical) ?? words[number]), ...ODD_TEXTS].join("\n");
  const mixed = topics.map((topic) => topic.words.at(-1)).join(" ");
  return [...words, ...(kind === "rows of items" ? ["an item that nobody else has"] : []), mixed].join("\n");
}

/** Return the beginning of a document; undefined if the model keeps none. */
function textAmong(typical) {
  return typical.find(({ excerpt }) => excerpt)?.excerpt.replace(/\s+/g, " ");
}
