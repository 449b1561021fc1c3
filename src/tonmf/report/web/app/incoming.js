import { bytesInWords } from "./file_field.js";
import { counted, isolated, shortened, whole } from "../shared/format.js";

/** For each kind of document: its key in a request, how to read it from a line of text, and its names. */
const KINDS = {
  texts: { key: "text", read: (line) => line, called: "a text", label: "Text", howTo: "" },
  "rows of items": { key: "items", read: wordsIn, called: "a list of items", label: "Items", howTo: "Space-separated. " },
  "a matrix of counts": { key: "counts", read: countsIn, called: "counts", label: "Terms", howTo: "Space-separated. " },
};

/** Return the label, the instructions and the accepted files for documents of a kind. */
export function wordingOf(kind) {
  const { key, called, label, howTo } = KINDS[kind];
  const inJson = `.jsonl with ${called} on each line, alone or as “${key}” of an object that may have an “id”`;
  return { label, howTo, files: `.txt with one document per line, or ${inJson}; or any other file: the server reads it.` };
}

/** Limits: more would be slow, and fill the browser's memory. */
const MOST_DOCUMENTS = 20_000;
const MOST_BYTES = 64 * 2 ** 20;
const FOR_MORE = "The server takes more.";

const ENDINGS = { txt: "lines", text: "lines", log: "lines", dat: "lines", basket: "lines", jsonl: "jsonl", ndjson: "jsonl" };

/** Return whether this page reads files of a name, and not only the server. */
export function isReadHere({ name }) {
  return Object.hasOwn(ENDINGS, endingOf(name));
}

function endingOf(name) {
  return name.toLowerCase().split(".").pop();
}

/** Invalid input, with a message for the reader; `file` is set if the server can score it instead. */
export class IncomingError extends Error {
  constructor(message, file = null) {
    super(message);
    this.file = file;
  }
}

/**
 * Read documents from typed or pasted text, ready to send.
 *
 * @param {string} text one document, or one per line; blank lines are skipped.
 * @param {boolean} isOne
 * @param {string} kind the kind of documents that the model was fitted on.
 */
export function documentsInText(text, isOne, kind) {
  if (text.trim() === "") throw new IncomingError("There is no text yet. Type or paste some, or choose a file.");
  if (isOne) return [documentOf("pasted text", KINDS[kind].read(text), kind)];
  return fewEnough(documentsInLines(text, (number) => `line ${number}`, kind), null);
}

/** Read documents from a file: one per line, or JSON lines. Only the server reads other formats. */
export async function documentsInFile(file, kind) {
  const format = ENDINGS[endingOf(file.name)];
  const name = isolated(shortened(file.name, 80));
  if (file.size > MOST_BYTES) {
    throw new IncomingError(
      `${name} has ${bytesInWords(file.size)}, but this page accepts ${bytesInWords(MOST_BYTES)} at most. ${FOR_MORE}`,
      file,
    );
  }
  let text;
  try {
    text = await file.text();
  } catch {
    throw new IncomingError(`${name} cannot be read. Check that it is still there.`);
  }
  if (text.includes("\0")) throw new IncomingError(`${name} is not text: it contains zero bytes.`);
  const place = (number) => `${file.name}:${number}`;
  const documents = format === "jsonl" ? documentsInJson(text, name, place, kind) : documentsInLines(text, place, kind);
  fewEnough(documents, file);
  if (documents.length === 0) throw new IncomingError(`${name} is empty: expected one document per line.`);
  return documents;
}

function documentsInLines(text, place, kind) {
  const documents = [];
  text.split(/\r\n|\n|\r/).forEach((line, number) => {
    if (line.trim() !== "") documents.push(documentOf(place(number + 1), KINDS[kind].read(line), kind));
  });
  return documents;
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
      throw new IncomingError(`${where}: expected a complete JSON value on each line.`);
    }
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isObject && !Object.hasOwn(value, key)) {
      throw new IncomingError(`${where}: expected ${called}, or an object with it as “${key}” and perhaps an “id”.`);
    }
    const id = isObject && value.id !== undefined && value.id !== null ? String(value.id) : place(number + 1);
    documents.push(documentOf(id, isObject ? value[key] : value, kind));
  });
  return documents;
}

function fewEnough(documents, file) {
  if (documents.length <= MOST_DOCUMENTS) return documents;
  const most = `this page accepts ${whole(MOST_DOCUMENTS)} at most`;
  const advice = file === null ? "Put them into a file: the server takes more." : FOR_MORE;
  throw new IncomingError(`There are ${counted(documents.length, "document")}, but ${most}. ${advice}`, file);
}

function documentOf(id, content, kind) {
  return { id, [KINDS[kind].key]: content };
}

function wordsIn(line) {
  return line.split(/\s+/).filter(Boolean);
}

/** Count the terms of a line. */
function countsIn(line) {
  const counts = {};
  for (const term of wordsIn(line)) counts[term] = (Object.hasOwn(counts, term) ? counts[term] : 0) + 1;
  return counts;
}
