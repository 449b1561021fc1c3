import { element } from "./dom.js";
import { whole } from "./format.js";

/** How many documents a page of the list can have. */
export const SIZES = [25, 50, 100, 250, 500];

/** Buttons for the next and previous page, and the size of a page; `onTurn` runs after a turn. */
export function pager(state, onTurn) {
  let last = 0;
  const previous = element("button", { type: "button", click: () => turn(-1) }, "Previous");
  const next = element("button", { type: "button", click: () => turn(1) }, "Next");
  const place = element("span", { class: "page-place" });
  const size = element(
    "select",
    { change: () => state.set({ size: SIZES[size.selectedIndex], page: 0 }) },
    SIZES.map((number) => element("option", {}, String(number))),
  );
  const view = element(
    "nav",
    { class: "pager controls", "aria-label": "Pages of the list" },
    previous,
    place,
    next,
    element("label", {}, element("span", {}, "Documents per page"), size),
  );

  function turn(step) {
    state.set({ page: Math.min(Math.max(state.page + step, 0), last) });
    onTurn();
  }

  /** Update the buttons for a new number of documents. */
  function follow(count) {
    last = Math.max(Math.ceil(count / state.size) - 1, 0);
    size.selectedIndex = SIZES.indexOf(state.size);
    previous.disabled = state.page === 0;
    next.disabled = state.page >= last;
    place.textContent = `Page ${whole(state.page + 1)} of ${whole(last + 1)}`;
  }
  return { view, follow };
}
