import { sizeOf } from "../shared/choice.js";
import { element } from "../shared/dom.js";
import { counted } from "../shared/format.js";
import { ZOOM } from "./map_keys.js";

/** Buttons above the map, to select documents, and on it, to zoom. */
export class MapTools {
  #isSelecting = false;

  /**
   * @param {State} state
   * @param {function(object)} choose lists documents.
   * @param {object} on `zoom(factor)`, `whole()` and `selectAll()`.
   */
  constructor(state, choose, on) {
    this.count = element("p", { class: "status", role: "status" });
    this.mode = button("Select by rectangle", () => this.#select(!this.#isSelecting), { "aria-pressed": "false" });
    this.all = button("Select what is in view", () => on.selectAll());
    this.chosen = [
      button("Show them in the list", () => choose({ selected: state.selected })),
      button("Clear selection", () => state.set({ selected: null })),
    ];
    this.view = element("div", { class: "map-actions controls" }, this.mode, this.all, this.chosen, this.count);
    this.closer = button("+", () => on.zoom(ZOOM), { "aria-label": "Zoom in", title: "Zoom in" });
    this.farther = button("−", () => on.zoom(1 / ZOOM), { "aria-label": "Zoom out", title: "Zoom out" });
    this.whole = button("All", () => on.whole(), { "aria-label": "Show the whole map", title: "Show the whole map" });
    this.zoom = element("div", { class: "map-zoom on-screen" }, this.closer, this.farther, this.whole);
    state.on(["selected"], () => this.#follow(state.selected));
    this.#follow(state.selected);
  }

  get isSelecting() {
    return this.#isSelecting;
  }

  /** A rectangle was drawn: the next drag moves the map again. */
  drawn() {
    this.#select(false);
  }

  follow(view) {
    // Not disabled: that would take the focus from a button that was just pressed.
    this.farther.setAttribute("aria-disabled", String(view.isWhole));
    this.whole.setAttribute("aria-disabled", String(view.isWhole));
    this.closer.setAttribute("aria-disabled", String(view.zoom >= view.most));
  }

  #select(isSelecting) {
    this.#isSelecting = isSelecting;
    this.mode.setAttribute("aria-pressed", String(isSelecting));
  }

  #follow(selected) {
    const n_selected = sizeOf(selected);
    for (const each of this.chosen) each.hidden = n_selected === 0;
    this.count.textContent = n_selected ? `${counted(n_selected, "document")} selected` : "";
  }
}

function button(text, click, attributes = {}) {
  return element("button", { type: "button", click, ...attributes }, text);
}
