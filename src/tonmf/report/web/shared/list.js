import { ALL, Choice } from "./choice.js";
import { together } from "./copies.js";
import { element, listenWhile } from "./dom.js";
import { csvOf, download, fileName } from "./export.js";
import { counted, whole } from "./format.js";
import { listControls } from "./list_controls.js";
import { listEntry } from "./list_entry.js";
import { listTable } from "./list_table.js";
import { marksBar } from "./marks_bar.js";
import { pager } from "./pager.js";
import { searchField } from "./search_field.js";

/** The list's initial state; it also needs `threshold` and `flagged`. */
export const LIST_STATE = {
  ...ALL,
  sort: "rank",
  descending: false,
  copies: "together",
  page: 0,
  size: 50,
  opened: null, // the document that was opened last, unless it is closed again
  ranked: 0, // how often marks have changed the scores
};

const CRITERIA = [...Object.keys(ALL), "sort", "descending", "copies"];

/**
 * The ranked list: filters, one page of the documents that meet them, each of which opens, and an export. Exact copies share a
 * line, unless each is to have its own.
 *
 * @param {object} about `columns` (see `columnsOf`), `documents` (`Documents`), `scores` (`Scores`), `topics`, `groups`,
 *     `word`, `title`, `found`, with the model's threshold, which follows marks, `marker` (`marksBar`), if documents can be
 *     marked, and `links` (`report/page_links.js`), if the page has them.
 * @param {State} state with what `LIST_STATE` has, `threshold` and `flagged`.
 * @returns {{view: HTMLElement, ready: Promise, reveal: function(number), close: function(number),
 *     choose: function(object), toggleMark: (function(number, string)|undefined)}} `ready` resolves once the first page is
 *     there; `reveal` opens a document, and `close` closes it; `choose` replaces all criteria; `toggleMark` marks a document,
 *     if documents can be marked.
 */
export function rankedList(about, state) {
  const source = { ...about, reportedThreshold: about.found.threshold };
  const { marker } = source;
  const choice = new Choice(source.columns, source.groups, marker ? (place) => marker.markOf(place) : undefined);
  const marks = marker && marksBar(source, state, (place) => reveal(place));
  const heading = element("h2", { id: "documents-heading", tabindex: -1 }, "Documents");
  const status = element("p", { class: "status", role: "status" });
  const keepButton = element("button", { type: "button", class: "export", click: keep }, "Export as CSV");
  const table = listTable(source, state);
  const none = element("p", { class: "absent", hidden: true }, "No document meets these criteria.");
  const search = searchField(source.documents, state);
  const pages = pager(state, () => heading.scrollIntoView());
  let { lines, copies, n_documents } = chosen();
  let entries = new Map();
  stayInside();

  function chosen() {
    const places = choice.places(state);
    const found = state.copies === "together" ? together(places, source.columns.first) : { lines: places, copies: new Map() };
    return { ...found, n_documents: places.length };
  }

  /** Keep the page among those that there are: fewer documents may be listed now, and an address may ask for any page. */
  function stayInside() {
    state.page = Math.max(0, Math.min(state.page, Math.ceil(lines.length / state.size) - 1));
  }

  /** Show the current page. Entries that stay keep what is open in them. */
  async function render() {
    const start = state.page * state.size;
    const shown = Array.from(lines.slice(start, start + state.size));
    const before = entries;
    entries = new Map(shown.map((place) => [place, before.get(place) ?? listEntry(place, source, state, marks?.toggle)]));
    for (const [place, entry] of before) if (!entries.has(place)) entry.view.remove();
    shown.forEach((place, row) => {
      const { view, showCopies } = entries.get(place);
      showCopies(copies.get(place) ?? []);
      if (table.tBodies[row] !== view) table.insertBefore(view, table.tBodies[row] ?? null);
    });
    table.hidden = keepButton.disabled = lines.length === 0;
    none.hidden = lines.length > 0;
    status.textContent = statusOf(lines.length, n_documents, source.columns.length, state);
    refresh();
    // What is open has an address, which is not to name what is no longer listed.
    if (state.opened !== null && !entries.has(state.opened)) state.set({ opened: null });
    await Promise.all([...entries.values()].map((entry) => entry.filled));
  }

  function refresh() {
    for (const entry of entries.values()) entry.refresh();
    pages.follow(lines.length);
    markThreshold();
  }

  /** Draw a line above the first document that is not flagged, if flagged ones are above it. */
  function markThreshold() {
    let isAfterFlagged = false;
    for (const body of table.tBodies) {
      const isFlagged = body.classList.contains("is-flagged");
      body.classList.toggle("below-threshold", isAfterFlagged && !isFlagged && state.sort === "rank");
      isAfterFlagged = isFlagged;
    }
  }

  state.on([...CRITERIA, "page", "size", "threshold", "ranked"], (changed) => {
    if (changed.includes("ranked")) return renderAgain();
    const follows = state.show !== "all" && changed.includes("threshold");
    const isChosenAnew = changed.some((name) => CRITERIA.includes(name));
    if (follows || isChosenAnew) ({ lines, copies, n_documents } = chosen());
    if (isChosenAnew && !changed.includes("page")) state.page = 0;
    stayInside();
    if (follows || isChosenAnew || changed.includes("page") || changed.includes("size")) render();
    else refresh();
  });

  /** Show other scores. Browsers take the focus from what moves, and a marked document may have left the page. */
  function renderAgain() {
    const focused = table.contains(document.activeElement) ? document.activeElement : null;
    choice.rerank();
    ({ lines, copies, n_documents } = chosen());
    stayInside();
    render();
    if (focused?.isConnected) focused.focus({ preventScroll: true });
    else if (focused) marks?.rest();
  }

  async function keep() {
    keepButton.disabled = true;
    try {
      const rows = await csvOf(choice.places(state), source.documents, source.columns, state.flagged);
      download(rows, fileName(source.title, "-documents.csv"));
    } catch (error) {
      status.textContent = error.message;
    }
    keepButton.disabled = false;
  }

  function choose(criteria) {
    state.set({ ...ALL, ...criteria, page: 0 });
    heading.scrollIntoView();
    heading.focus({ preventScroll: true });
  }

  /** Return the first place of the line that a document is on; undefined if it is not listed. */
  function headOf(place) {
    if (lines.includes(place)) return place;
    return [...copies.keys()].find((head) => copies.get(head).includes(place));
  }

  async function reveal(place, isToBeSeen = true) {
    await search.found(); // an address may name both
    if (headOf(place) === undefined) state.set(ALL);
    const head = headOf(place);
    state.set({ page: Math.floor(lines.indexOf(head) / state.size) });
    const entry = entries.get(head);
    await entry.open();
    if (!isToBeSeen) return;
    entry.view.scrollIntoView({ block: "start" });
    entry.view.querySelector("button.open").focus({ preventScroll: true });
  }

  const view = element(
    "section",
    { id: "documents", "aria-labelledby": "documents-heading" },
    heading,
    listControls(source, state, search.view),
    marks?.view,
    element("div", { class: "list-status" }, status, keepButton),
    table,
    none,
    pages.view,
  );
  if (marks) listenWhile(view, "keydown", marks.take);
  const close = (place) => entries.get(headOf(place))?.close();
  return { view, ready: render(), reveal, close, choose, toggleMark: marks?.toggle };
}

/** Return "51–100 of 260 documents", the number of lines if copies share some, and that of all documents if filters hide some. */
function statusOf(n_lines, n_chosen, n_all, { page, size }) {
  const first = page * size;
  const range = n_lines > size ? `${whole(first + 1)}–${whole(Math.min(first + size, n_lines))} of ` : "";
  const documents = `${counted(n_chosen, "document")}${n_chosen < n_all ? `, of ${whole(n_all)} in all` : ""}`;
  return range + (n_lines < n_chosen ? `${counted(n_lines, "line")} (${documents})` : documents);
}
