import { element } from "../shared/dom.js";

const STOP_WORDS =
  "arabic bulgarian catalan chinese czech danish dutch english finnish french german greek gujarati hebrew hindi hungarian " +
  "indonesian italian japanese korean malaysian norwegian persian polish portuguese romanian russian slovak spanish swedish " +
  "turkish ukrainian vietnamese";

const STEMMERS =
  "arabic armenian basque catalan danish dutch english finnish french german greek hindi hungarian indonesian irish italian " +
  "lithuanian nepali norwegian portuguese romanian russian serbian spanish swedish tamil turkish yiddish";

const FORMATS = [
  ["", "as its name says"],
  ["lines", "a document a line"],
  ["jsonl", "JSON lines"],
  ["csv", "CSV"],
  ["tsv", "TSV"],
  ["parquet", "Parquet"],
  ["baskets", "items of a basket a line"],
  ["matrix", "matrix of counts"],
];

const GUESSED = "guessed if left empty";

/** What can be chosen when a model is fitted: names are the server's, values at first its defaults. */
const OPTIONS = [
  { name: "format", label: "Format", values: FORMATS, value: "" },
  { name: "text_column", label: "Text column", note: GUESSED, value: "" },
  { name: "id_column", label: "Id column", note: GUESSED, value: "" },
  { name: "label_column", label: "Label column", note: "1 or 0: known outliers, to compare with", value: "" },
  { name: "contamination", label: "Share to flag", note: "auto, or such as 0.05", value: "auto" },
  { name: "stop_words", label: "Stop words", note: "left out", values: languages("none", STOP_WORDS), value: "english" },
  { name: "stem", label: "Stemmer", note: "cuts off endings", values: languages("", STEMMERS), value: "" },
  { name: "min_df", label: "Documents a word needs", note: "to be known", min: 1, value: 2 },
  { name: "topics", label: "Topics at most", min: 1, value: 25 },
  { name: "seed", label: "Seed", note: "the same seed, the same answer", min: 0, max: 2 ** 32 - 1, value: 0 },
];

function languages(none, names) {
  return [[none, "none"], ...names.split(" ").map((name) => [name, name[0].toUpperCase() + name.slice(1)])];
}

/** Fields for all options, and a function that returns those that were changed, by name. */
export function fitOptions() {
  const fields = OPTIONS.map((option) => [option, fieldOf(option)]);
  const view = element(
    "div",
    { class: "options" },
    fields.map(([{ name, label, note }, field]) =>
      element(
        "div",
        {},
        element("label", { for: `option-${name}` }, label),
        field,
        note && element("span", { class: "note", id: `option-${name}-note` }, note),
      ),
    ),
  );
  function changed() {
    const values = fields.map(([{ name, value }, field]) => [name, field.value.trim(), String(value)]);
    return Object.fromEntries(values.filter(([, now, before]) => now !== "" && now !== before));
  }
  return { view, changed };
}

function fieldOf({ name, values, note, min, max, value }) {
  const shared = { id: `option-${name}`, name, "aria-describedby": note && `option-${name}-note` };
  if (values) {
    const choices = values.map(([key, text]) => element("option", { value: key, selected: key === value }, text));
    return element("select", shared, choices);
  }
  if (min === undefined) return element("input", { ...shared, type: "text", value, spellcheck: "false" });
  return element("input", { ...shared, type: "number", min, max, step: 1, required: true, value });
}
