import { bytesInWords } from "./file_field.js";
import { counted, isolated, shortened, whole } from "../shared/format.js";

/** Under which key the server expects a document of each kind, how a line of text becomes one, and what to call it. */
const KINDS = {
  texts: { key: "text", read: (line) => line, called: "a text", label: "Text", howTo: "" },
  "rows of items": { key: "items", read: wordsIn, called: "a list of items", label: "Items", howTo: "Space parts items. " },
  "a matrix of counts": { key: "counts", read: countsIn, called: "counts", label: "Terms", howTo: "Space parts terms. " },
};

/** What documents of a kind are called, how they are written, and what files they come in. */
export function wordingOf(kind) {
  const { key, called, label, howTo } = KINDS[kind];
  const inJson = `.jsonl with ${called} a line, alone or as “${key}” of an object that may have an “id”`;
  return { label, howTo, files: `.txt with a document a line, or ${inJson}.` };
}

/** More would take long, and fill the memory of the browser. */
const MOST_DOCUMENTS = 20_000;
const MOST_BYTES = 64 * 2 ** 20;
const FOR_MORE = "For more there is the command line: tonmf score.";

const ENDINGS = { txt: "lines", text: "lines", log: "lines", dat: "lines", basket: "lines", jsonl: "jsonl", ndjson: "jsonl" };
export const SCORED_FILES = Object.keys(ENDINGS)
  .map((ending) => `.${ending}`)
  .join(",");

/** What is wrong with what the reader gave, as a sentence; `file` is one that can be read elsewhere on the page. */
export class IncomingError extends Error {
  constructor(message, file = null) {
    super(message);
    this.file = file;
  }
}

/**
 * Documents in a text that was typed or pasted, ready to be sent.
 *
 * @param {string} text one document, or one a line; blank lines are none.
 * @param {boolean} isOne
 * @param {string} kind of the documents that the model knows.
 */
export function documentsInText(text, isOne, kind) {
  if (text.trim() === "") throw new IncomingError("There is no text yet. Type or paste some, or choose a file.");
  if (isOne) return [documentOf("pasted text", KINDS[kind].read(text), kind)];
  return documentsInLines(text, (number) => `line ${number}`, kind);
}

/** Documents in a file: a document a line, or JSON lines. Other formats are read by the server alone. */
export async function documentsInFile(file, kind) {
  const format = ENDINGS[file.name.toLowerCase().split(".").pop()];
  const name = isolated(shortened(file.name, 80));
  if (!format) {
    throw new IncomingError(
      `${name}: here only .txt files (a document a line) and .jsonl files are scored. A model can be fitted on it.`,
      file,
    );
  }
  if (file.size > MOST_BYTES) {
    throw new IncomingError(
      `${name} has ${bytesInWords(file.size)}, and this page takes ${bytesInWords(MOST_BYTES)} at most. ${FOR_MORE}`,
    );
  }
  let text;
  try {
    text = await file.text();
  } catch {
    throw new IncomingError(`${name} cannot be read. See whether it is still there.`);
  }
  if (text.includes("\0")) throw new IncomingError(`${name} is no text: there are zero bytes in it.`);
  const place = (number) => `${file.name}:${number}`;
  const documents = format === "jsonl" ? documentsInJson(text, name, place, kind) : documentsInLines(text, place, kind);
  if (documents.length === 0) throw new IncomingError(`${name} is empty: expected a document a line.`);
  return documents;
}

function documentsInLines(text, place, kind) {
  const documents = [];
  text.split(/\r\n|\n|\r/).forEach((line, number) => {
    if (line.trim() !== "") documents.push(documentOf(place(number + 1), KINDS[kind].read(line), kind));
  });
  return fewEnough(documents);
}

function documentsInJson(text, name, place, kind) {
  const { key, called } = KINDS[kind];
  const documents = [];
  text.split("\n").forEach((line, number) => {
    if (line.trim() === "") return;
    const where = `${name}, line ${number + 1}`;
    let value;
    try {
      value = JSON.parse(line);
    } catch {
      throw new IncomingError(`${where}: expected a whole JSON value on each line, and this is none.`);
    }
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isObject && !Object.hasOwn(value, key)) {
      throw new IncomingError(`${where}: expected ${called}, or an object with it as “${key}” and perhaps an “id”.`);
    }
    const id = isObject && value.id !== undefined && value.id !== null ? String(value.id) : place(number + 1);
    documents.push(documentOf(id, isObject ? value[key] : value, kind));
  });
  return fewEnough(documents);
}

function fewEnough(documents) {
  if (documents.length <= MOST_DOCUMENTS) return documents;
  throw new IncomingError(
    `These are ${counted(documents.length, "document")}, and this page takes ${whole(MOST_DOCUMENTS)} at most. ${FOR_MORE}`,
  );
}

function documentOf(id, content, kind) {
  return { id, [KINDS[kind].key]: content };
}

function wordsIn(line) {
  return line.split(/\s+/).filter(Boolean);
}

/** A term that occurs three times is counted three times. */
function countsIn(line) {
  const counts = {};
  for (const term of wordsIn(line)) counts[term] = (Object.hasOwn(counts, term) ? counts[term] : 0) + 1;
  return counts;
}
