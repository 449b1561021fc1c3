import { UNLABELLED, textOf } from "./data.js";
import { element } from "./dom.js";

const NAMES = ["rank", "id", "score", "outlier", "judged", "topic", "unexpected_terms", "text"];

/**
 * Return the listed documents as CSV, with the columns that the command line writes, but for the reasons and the user's own, of
 * which there are only the labels: 1 for outliers, 0 for ordinary documents, nothing for documents without one.
 */
export async function csvOf(places, documents, columns, flagged) {
  const wanted = new Set(Array.from(places, (place) => Math.floor(place / documents.partSize)));
  const isListed = new Uint8Array(columns.length);
  for (const place of places) isListed[place] = 1;
  const lines = new Array(columns.length);
  // Go part by part, whatever the order of the list, because unpacking a part takes time.
  for (const number of wanted) {
    const part = await documents.part(number);
    part.forEach((shown, offset) => {
      const place = number * documents.partSize + offset;
      if (isListed[place]) lines[place] = lineOf(place, shown, columns, flagged);
    });
  }
  // The byte order mark tells spreadsheets that this is UTF-8.
  const names = columns.label ? [...NAMES, "label"] : NAMES;
  return ["\ufeff", `${names.join(",")}\r\n`, ...Array.from(places, (place) => lines[place])];
}

function lineOf(place, shown, columns, flagged) {
  const cells = [
    String(columns.rank[place]),
    textCell(columns.id[place]),
    String(columns.score[place]),
    String(columns.standing[place] < flagged),
    String(place < columns.judged),
    columns.topic[place] ? String(columns.topic[place]) : "",
    textCell((shown.unexpected ?? []).map(({ word }) => word).join("; ")),
    textCell(textOf(shown)),
    ...(columns.label ? [columns.label[place] === UNLABELLED ? "" : String(columns.label[place])] : []),
  ];
  return `${cells.join(",")}\r\n`;
}

const SIGNED_NUMBER = /^[-+]((\d[\d.,]*|[.,]\d+)(e[-+]?\d+)?\s?%?|nan|inf)$/i;

/**
 * Return a text as a cell, quoted as RFC 4180 says.
 *
 * Put an apostrophe before a text that begins like a formula: spreadsheets would run it, and texts may come from anywhere. A
 * text that begins with such an apostrophe gets one more, as in tonmf.io.harmless.
 */
export function textCell(text) {
  const runs = /^'*[=+\-@\t\r][^]/.test(text) && !SIGNED_NUMBER.test(text);
  const safe = runs ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Offer lines as a file to download. */
export function download(lines, name) {
  const address = URL.createObjectURL(new Blob(lines, { type: "text/csv;charset=utf-8" }));
  const link = element("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Make a file name from a title: runs of other characters than letters, digits, ".", "_" and "-" become "-". */
export function fileName(title, end) {
  const name = title.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[-.]+|-+$/g, "");
  return `${name.slice(0, 80) || "documents"}${end}`;
}
