import { element } from "../shared/dom.js";

const STOP_WORDS =
  "arabic bulgarian catalan chinese czech danish dutch english finnish french german greek gujarati hebrew hindi hungarian " +
  "indonesian italian japanese korean malaysian norwegian persian polish portuguese romanian russian slovak spanish swedish " +
  "turkish ukrainian vietnamese";

const STEMMERS =
  "arabic armenian basque catalan danish dutch english finnish french german greek hindi hungarian indonesian irish italian " +
  "lithuanian nepali norwegian portuguese romanian russian serbian spanish swedish tamil turkish yiddish";

const FORMATS = [
  ["", "from the file name"],
  ["lines", "one document per line"],
  ["jsonl", "JSON lines"],
  ["json", "JSON array"],
  ["csv", "CSV"],
  ["tsv", "TSV"],
  ["parquet", "Parquet"],
  ["arrow", "Arrow"],
  ["spreadsheet", "workbook"],
  ["database", "database"],
  ["mbox", "mails"],
  ["baskets", "one basket per line"],
  ["matrix", "matrix of counts"],
];

const HEADERS = [
  ["", "seen in the data"],
  ["true", "names of columns"],
  ["false", "a document"],
];

const MASKS = [
  ["", "all but numbers"],
  ["all", "all, numbers by their shape"],
  ["none", "none"],
];

const GUESSED = "guessed if left empty";

/** The options of a fit, with the server's names and defaults. */
const OPTIONS = [
  { name: "format", label: "Format", values: FORMATS, value: "" },
  { name: "text_column", label: "Text column", note: GUESSED, value: "" },
  { name: "id_column", label: "Id column", note: GUESSED, value: "" },
  { name: "label_column", label: "Label column", note: "1 for known outliers, 0 for the rest", value: "" },
  { name: "label_outlier", label: "Label of outliers", note: "if labels are words, such as spam", value: "" },
  { name: "header", label: "First row", note: "of tables", values: HEADERS, value: "" },
  { name: "separator", label: "Separator", note: "comma, semicolon, tab, …; seen in the data if left empty", value: "" },
  { name: "sheet", label: "Sheet", note: "of a workbook, by name or number", value: "" },
  { name: "sql", label: "Query", note: "on a database", value: "" },
  { name: "contamination", label: "Share to flag", note: "auto, or a share such as 0.05", value: "auto" },
  { name: "stop_words", label: "Stop words", note: "words to ignore", values: languages("none", STOP_WORDS), value: "english" },
  { name: "stem", label: "Stemmer", note: "strips word endings", values: languages("", STEMMERS), value: "" },
  { name: "mask", label: "Masks", note: "links, ids and the like as one word each", values: MASKS, value: "" },
  { name: "min_df", label: "Minimum documents", note: "in which a word must occur", min: 1, value: 2 },
  { name: "boilerplate", label: "Boilerplate", note: "share of documents that share a line, or none", value: "5%" },
  { name: "topics", label: "Maximum topics", min: 1, value: 25 },
  { name: "seed", label: "Seed", note: "same seed, same result", min: 0, max: 2 ** 32 - 1, value: 0 },
];

function languages(none, names) {
  return [[none, "none"], ...names.split(" ").map((name) => [name, name[0].toUpperCase() + name.slice(1)])];
}

const EMBEDS = [
  ["", "words alone"],
  ["true", "words and meaning"],
];

/** The option to embed texts, for a server that names a model for it. */
function embedding(model) {
  return { name: "embed", label: "What counts", note: `meaning by ${model}, which takes longer`, values: EMBEDS, value: "" };
}

/** Fields for all options, and a function that returns the changed ones by name; `embedder` is what may embed texts. */
export function fitOptions(embedder) {
  const fields = [...OPTIONS, ...(embedder ? [embedding(embedder)] : [])].map((option) => [option, fieldOf(option)]);
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
