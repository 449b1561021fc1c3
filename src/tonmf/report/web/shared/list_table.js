import { element } from "./dom.js";

/** The list's table, with headings that sort and keys that move from document to document. */
export function listTable({ columns, marker }, state) {
  const headings = [
    heading("rank", "rank"),
    heading("score", "score"),
    heading("words", "text and reason"),
    heading("id", "id"),
    heading("topic", "topic"),
    columns.label && heading("label", "label"),
    marker && heading("mark", "mark"),
  ];
  const caption = "Documents by rank, the strangest first. Open one to see its text and the reason.";
  const table = element(
    "table",
    { class: "ranked", keydown: moveAlong },
    element("caption", { class: "unseen" }, caption),
    element("thead", {}, element("tr", {}, headings)),
  );

  function heading(name, text) {
    const isSorting = ["rank", "id", "topic"].includes(name);
    const button = () => element("button", { type: "button", click: () => sortBy(name) }, text);
    return element("th", { scope: "col", class: `for-${name}` }, isSorting ? button() : text);
  }

  function sortBy(sort) {
    state.set({ sort, descending: state.sort === sort && !state.descending, page: 0 });
  }

  function markSorted() {
    const direction = state.descending ? "descending" : "ascending";
    for (const cell of table.querySelectorAll("thead th:has(button)")) {
      cell.setAttribute("aria-sort", cell.className === `for-${state.sort}` ? direction : "none");
    }
  }
  state.on(["sort", "descending"], markSorted);
  markSorted();

  /** Move the focus with the arrow keys, j and k. */
  function moveAlong(event) {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (!step || !event.target.classList.contains("open") || event.ctrlKey || event.metaKey || event.altKey) return;
    const buttons = [...table.querySelectorAll("button.open")];
    buttons[buttons.indexOf(event.target) + step]?.focus();
    event.preventDefault();
  }

  return table;
}
