import { sendFile } from "./api.js";
import { element } from "../shared/dom.js";
import { bytesInWords } from "./file_field.js";
import { isolated, shortened } from "../shared/format.js";
import { problemLine } from "./notices.js";

/** Text files, of which the beginning is enough; it is cut after a line. */
const IN_LINES = /\.(csv|tsv|tab|txt|text|log|jsonl|ndjson|dat|basket)$/i;
const BEGINNING = 256 * 1024;

/** Bytes of another file that are sent for a look at it. */
const LARGEST_LOOK = 32 * 2 ** 20;

const LONGEST_COLUMN = 60;

/**
 * What is in a file: its columns with their first values, as the server reads it, and a field to choose the text column.
 *
 * @returns {{view: HTMLElement, look: function(File), close: function(), textColumn: function(): string}}
 */
export function filePreview() {
  const problem = problemLine();
  const place = element("div");
  const view = element("div", { class: "preview", hidden: true }, problem.view, place);
  let controller = null;
  let chosen = "";

  function close() {
    controller?.abort();
    chosen = "";
    view.hidden = true;
    place.replaceChildren();
    problem.say();
  }

  async function look(file) {
    close();
    view.hidden = false;
    controller = new AbortController();
    const { signal } = controller;
    try {
      const part = await toLookAt(file);
      if (part === null) {
        problem.note(`The file has ${bytesInWords(file.size)}, too much for a look at its columns first.`);
        return;
      }
      place.replaceChildren(element("p", { class: "note", role: "status" }, `Looking at ${isolated(shortened(file.name, 80))}…`));
      const address = `/v1/preview?${new URLSearchParams({ name: file.name })}`;
      show(await sendFile(address, part, { signal, onProgress: () => {} }));
    } catch (error) {
      if (signal.aborted) return;
      place.replaceChildren();
      problem.say(error.message);
    }
  }

  function show({ columns, documents, text_column: text, message }) {
    if (columns.length === 0) {
      place.replaceChildren(
        element("p", { class: "note" }, "The first documents:"),
        element("ol", { class: "first-documents" }, documents.map((document) => element("li", { dir: "auto" }, document))),
      );
      return;
    }
    const names = columns.map(({ name }) => name);
    const options = text === null ? ["", ...names] : names;
    const field = element(
      "select",
      { change: () => choose(options[field.selectedIndex]) },
      options.map((name) => element("option", { selected: name === text }, name === "" ? "choose one" : shortened(name, LONGEST_COLUMN))),
    );
    const table = columnsTable(columns);
    function choose(name) {
      chosen = name === text ? "" : name;
      for (const cell of table.querySelectorAll("[data-column]")) {
        cell.classList.toggle("is-text", names[Number(cell.dataset.column)] === name);
      }
    }
    choose(text ?? "");
    place.replaceChildren(
      element("label", {}, element("span", {}, "The text is in the column"), " ", field),
      message ? element("p", { class: "note" }, message) : "",
      table,
    );
  }

  return { view, look, close, textColumn: () => chosen };
}

function columnsTable(columns) {
  const cell = (tag, column, text) => element(tag, { "data-column": column, dir: "auto", ...(tag === "th" && { scope: "col" }) }, text);
  const rows = columns[0].values.map((_, row) =>
    element("tr", {}, columns.map(({ values }, column) => cell("td", column, values[row]))),
  );
  return element(
    "div",
    { class: "preview-table", tabindex: 0, role: "group", "aria-label": "The first rows of the file" },
    element(
      "table",
      {},
      element("caption", { class: "unseen" }, "The first rows of the file"),
      element("thead", {}, element("tr", {}, columns.map(({ name }, column) => cell("th", column, shortened(name, LONGEST_COLUMN))))),
      element("tbody", {}, rows),
    ),
  );
}

/** Return as much of a file as the server needs to see its columns; null if that is too much. */
async function toLookAt(file) {
  if (!IN_LINES.test(file.name)) return file.size <= LARGEST_LOOK ? file : null;
  if (file.size <= BEGINNING) return file;
  const bytes = new Uint8Array(await file.slice(0, BEGINNING).arrayBuffer());
  const end = bytes.lastIndexOf(10);
  return end > 0 ? file.slice(0, end + 1) : null;
}
