import { ALL, Choice } from "./choice.js";
import { element } from "./dom.js";
import { csvOf, download, fileName } from "./export.js";
import { counted, whole } from "./format.js";
import { listControls, pager } from "./list_controls.js";
import { listEntry } from "./list_entry.js";
import { search } from "./search.js";

/** What the list shows at first; together with `threshold` and `flagged` the state that it needs. */
export const LIST_STATE = { ...ALL, sort: "rank", descending: false, page: 0, size: 50, opened: null };

const CRITERIA = [...Object.keys(ALL), "sort", "descending"];

/**
 * The ranked list: criteria to choose documents by, a page of those chosen, each of which opens, and the way to keep them.
 *
 * @param {object} source `columns` (see `columnsOf`), `documents` (`Documents`, or alike), `scores` (`Scores`), `topics`,
 *     `groups`, `word`, `title`, and `flagged`, how many were found to be outliers.
 * @param {State} state with what `LIST_STATE` has, `threshold` and `flagged`.
 * @returns {{view: HTMLElement, ready: Promise, reveal: function(number), choose: function(object)}} `ready` once the first
 *     page is there; `reveal` opens a document, `choose` shows those that meet some criteria, and no others.
 */
export function rankedList(source, state) {
  const { columns, documents, groups, title } = source;
  const choice = new Choice(columns, groups);
  const status = element("p", { class: "status", role: "status" });
  const table = element("table", { class: "ranked", keydown: moveAlong }, captionOf(), headOf(columns));
  const none = element("p", { class: "absent", hidden: true }, "No document meets these criteria.");
  const exportButton = element("button", { type: "button", class: "export", click: keep }, "Export as CSV");
  const heading = element("h2", { id: "documents-heading", tabindex: -1 }, "Documents");
  let entries = new Map();
  let places = choice.places(state);

  /** Show the page that the state asks for; entries that stay keep what is open in them. */
  async function render() {
    const start = state.page * state.size;
    const shown = Array.from(places.slice(start, start + state.size));
    const before = entries;
    entries = new Map(shown.map((place) => [place, before.get(place) ?? listEntry(place, source, state)]));
    for (const [place, entry] of before) if (!entries.has(place)) entry.view.remove();
    shown.forEach((place, row) => {
      const { view } = entries.get(place);
      if (table.tBodies[row] !== view) table.insertBefore(view, table.tBodies[row] ?? null);
    });
    refresh();
    await Promise.all([...entries.values()].map((entry) => entry.filled));
  }

  function refresh() {
    for (const entry of entries.values()) entry.refresh();
    const n_chosen = places.length;
    none.hidden = n_chosen > 0;
    table.hidden = n_chosen === 0;
    exportButton.disabled = n_chosen === 0;
    const first = state.page * state.size;
    const of = n_chosen < columns.length ? `, of ${whole(columns.length)} in all` : "";
    const range = `${whole(Math.min(first + 1, n_chosen))}–${whole(Math.min(first + state.size, n_chosen))} of `;
    status.textContent = `${n_chosen > state.size ? range : ""}${counted(n_chosen, "document")}${of}`;
    for (const button of table.tHead.querySelectorAll("[data-sort]")) {
      const direction = state.descending ? "descending" : "ascending";
      button.closest("th").setAttribute("aria-sort", button.dataset.sort === state.sort ? direction : "none");
    }
  }

  state.on([...CRITERIA, "page", "size", "threshold"], (changed) => {
    const isChosenByFlag = state.show !== "all" && changed.includes("threshold");
    const isOther = changed.some((name) => CRITERIA.includes(name)) || isChosenByFlag;
    if (isOther) places = choice.places(state);
    const last = Math.max(Math.ceil(places.length / state.size) - 1, 0);
    if (isOther && !changed.includes("page")) state.page = isChosenByFlag ? Math.min(state.page, last) : 0;
    if (isOther || changed.includes("page") || changed.includes("size")) render();
    else refresh();
    pages.follow(last);
  });

  function headOf({ label }) {
    const column = (name, sort) =>
      element(
        "th",
        { scope: "col", class: `for-${(sort ?? name).replace(" ", "-")}` },
        sort ? element("button", { type: "button", "data-sort": sort, click: () => sortBy(sort) }, name) : name,
      );
    const columnsShown = [column("rank", "rank"), column("score"), column("id", "id"), column("topic", "topic")];
    if (label) columnsShown.push(column("label"));
    columnsShown.push(column(`unexpected ${source.word}s`));
    return element("thead", {}, element("tr", {}, columnsShown));
  }

  function captionOf() {
    return element(
      "caption",
      { class: "unseen" },
      "Documents by rank, the strangest first. Each opens to its text and the reason.",
    );
  }

  function sortBy(sort) {
    state.set({ sort, descending: state.sort === sort && !state.descending, page: 0 });
  }

  /** Arrow keys, j and k go from one document to the next. */
  function moveAlong(event) {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (!step || !event.target.classList.contains("open") || event.ctrlKey || event.metaKey || event.altKey) return;
    const buttons = [...table.querySelectorAll("button.open")];
    buttons[buttons.indexOf(event.target) + step]?.focus();
    event.preventDefault();
  }

  async function keep() {
    exportButton.disabled = true;
    download(await csvOf(places, documents, columns, state.flagged), fileName(title, "-documents.csv"));
    exportButton.disabled = false;
  }

  async function find(query, say) {
    const isWanted = () => state.query === query;
    if (!query) {
      say("");
      return state.set({ query, matches: null });
    }
    state.set({ query });
    let shown = performance.now();
    const matches = await search(query, documents, isWanted, (sofar, searched) => {
      if (performance.now() - shown < 250 || searched === columns.length) return;
      shown = performance.now();
      say(`Searched ${whole(searched)} of ${counted(columns.length, "document")}…`);
      state.set({ matches: sofar.slice() });
    });
    if (matches === null) return;
    state.set({ matches });
    say(
      `${counted(
        matches.reduce((sum, match) => sum + match, 0),
        "document",
      )} found`,
    );
  }

  function choose(criteria) {
    state.set({ ...ALL, ...criteria, page: 0 });
    heading.scrollIntoView();
    heading.focus({ preventScroll: true });
  }

  async function reveal(place) {
    if (!places.includes(place)) state.set(ALL);
    state.set({ page: Math.floor(places.indexOf(place) / state.size) });
    const entry = entries.get(place);
    await entry.open();
    entry.view.scrollIntoView({ block: "start" });
    entry.view.querySelector("button.open").focus({ preventScroll: true });
  }

  const pages = pager(state);
  const view = element(
    "section",
    { id: "documents", "aria-labelledby": "documents-heading" },
    heading,
    listControls(source, state, find),
    element("div", { class: "list-status" }, status, exportButton),
    table,
    none,
    pages.view,
  );
  const ready = render();
  pages.follow(Math.max(Math.ceil(places.length / state.size) - 1, 0));
  return { view, ready, reveal, choose };
}
