import { element } from "./dom.js";
import { download, fileName, textCell } from "./export.js";
import { counted, isolated, shortened, whole } from "./format.js";
import { MARK_KINDS } from "./mark_buttons.js";

/**
 * A reader's marks above the list: how many there are, the next document to read, and the marks as a file.
 *
 * @param {object} source with `columns`, `title` and `marker`, which keeps the marks and re-ranks: `markOf(place)`,
 *     `canMark(place)`, `set(place, mark)`, `clear()`, `all()` (pairs of id and mark) and `notes()`. `set` and `clear` resolve
 *     once the scores have followed.
 * @param {State} state
 * @param {function(number)} reveal opens a document.
 * @returns {{view: HTMLElement, toggle: function(number, string), take: function(KeyboardEvent), rest: function()}} `take`
 *     handles a key; `rest` puts the focus where a reader goes on.
 */
export function marksBar({ columns, title, marker }, state, reveal) {
  const counts = element("p", { class: "status", role: "status" });
  const problem = element("p", { class: "problem", role: "alert", hidden: true });
  const notes = element("div", { class: "note" });
  const next = element("button", { type: "button", class: "show-next", "aria-keyshortcuts": "s", click: showNext }, "Show next");
  const save = element("button", { type: "button", click: keep }, "Download marks");
  const clear = element("button", { type: "button", click: () => attempt(() => marker.clear()) }, "Take all back");

  let last = null; // the document that was marked last

  async function attempt(run) {
    problem.hidden = true;
    try {
      await run();
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    }
  }

  function toggle(place, mark) {
    last = place;
    return attempt(() => marker.set(place, marker.markOf(place) === mark ? null : mark));
  }

  function keep() {
    const lines = marker.all().map(([id, mark]) => `${textCell(id)},${mark}\r\n`);
    download(["id,mark\r\n", ...lines], fileName(title, "-marks.csv"));
  }

  /** Open the document with the highest score that is not marked; copies of marked ones are known. */
  function showNext() {
    const isKnown = new Set();
    columns.first.forEach((first, place) => marker.markOf(place) !== null && isKnown.add(first));
    const found = columns.order.find((place) => marker.canMark(place) && !isKnown.has(columns.first[place]));
    if (found !== undefined) return isBeside() ? state.set({ panel: found }) : reveal(found);
    counts.textContent = `${countsOf(marker)} There is no other document to mark.`;
  }

  /** Return whether a document is open in a panel beside the list, which some pages have. */
  function isBeside() {
    return (state.panel ?? null) !== null;
  }

  /** Return the document that a key means: the one of the list with the focus, that in the panel, or the open one. */
  function meant({ key, target }) {
    const entry = target.closest(".entry");
    if (entry) return Number(entry.dataset.place);
    if (isBeside() && (key !== "u" || marker.markOf(state.panel) !== null)) return state.panel;
    if (key === "u") return last; // from anywhere
    return target === document.body ? state.opened : null;
  }

  function take(event) {
    const inForm = event.target.closest("input, select, textarea");
    if (inForm || event.ctrlKey || event.metaKey || event.altKey || view.offsetParent === null) return;
    if (event.key === "s") {
      event.preventDefault();
      showNext();
      return;
    }
    const place = meant(event);
    const kind = MARK_KINDS.find(({ key }) => key === event.key);
    if (place === null || !marker.canMark(place) || !(kind || event.key === "u")) return;
    event.preventDefault();
    if (kind) toggle(place, kind.mark);
    else attempt(() => marker.set(place, null));
  }

  function follow() {
    const all = marker.all();
    counts.textContent = countsOf(marker);
    save.disabled = clear.disabled = all.length === 0;
    notes.replaceChildren(...marker.notes().map((note) => element("p", {}, note)));
  }
  state.on(["ranked"], follow);

  const view = element(
    "div",
    { class: "marks-bar", role: "group", "aria-label": "Your marks" },
    element("div", { class: "marks-row controls" }, counts, next, save, clear),
    problem,
    element(
      "p",
      { class: "note on-screen" },
      "Mark a document, and those like it rise or fall. Keys: ",
      [...MARK_KINDS.map(({ key, mark }) => [key, mark]), ["u", "take it back"], ["s", "show next"]].flatMap(
        ([key, what], number) => [number > 0 && ", ", element("kbd", {}, key), ` ${what}`],
      ),
      ".",
    ),
    notes,
  );
  follow();
  return { view, toggle, take, rest: () => next.focus({ preventScroll: true }) };
}

/** Return "3 strange, 5 fine". */
function countsOf(marker) {
  const all = marker.all();
  if (all.length === 0) return "Nothing is marked yet.";
  const [strange, fine] = MARK_KINDS.map(({ mark }) => all.filter(([, one]) => one === mark).length);
  return `${whole(strange)} strange, ${whole(fine)} fine.`;
}

/** Say that some marks are of documents that are not listed. */
export function marksElsewhere(ids) {
  if (ids.length === 0) return [];
  const such = ids.slice(0, 3).map((id) => isolated(shortened(id, 40)));
  return [`${counted(ids.length, "mark")} of documents that are not in this list: ${such.join(", ")}${ids.length > 3 ? ", …" : ""}.`];
}
