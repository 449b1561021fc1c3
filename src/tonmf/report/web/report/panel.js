import { documentView } from "../shared/document_view.js";
import { element, listenWhile, ownDirection } from "../shared/dom.js";
import { decimal, shortened, whole } from "../shared/format.js";
import { topicName } from "../shared/topic_marks.js";
import { markButtons } from "../shared/mark_buttons.js";
import { partsOfSentence, sinceMarks, verdictAt } from "../shared/verdict.js";

const LONGEST_TITLE = 120;

/** Pixels between the panel and a dot beneath which it would be hidden. */
const BESIDE = 24;

/**
 * What the panel adds to the state of the page: `panel` is the place of the document that is open in it, or null. Anybody may
 * set it, and the panel follows; it sets it to null when it is closed.
 */
export const PANEL_STATE = { panel: null };

/**
 * A panel at the side, or a sheet from below in a narrow window, with one document; what is beside it can still be used.
 *
 * It takes the focus when it opens, and gives it back to where it was when Escape or its button closes it.
 *
 * @param {object} source `columns`, `documents`, `topics`, `word`, `found`, `links`, and `marker`, if documents can be marked.
 * @param {State} state with `PANEL_STATE`.
 * @param {function(number)} reveal shows a document in the list.
 * @param {function(number, string)} toggleMark marks a document, if documents can be marked.
 * @returns {{view: HTMLElement, open: function(number, PointerEvent)}} `open` shows a document, on the side away from a click.
 */
export function documentPanel(source, state, reveal, toggleMark) {
  const panel = new Panel(source, state, reveal, toggleMark);
  state.on(["panel"], () => panel.follow());
  state.on(["threshold", "ranked"], () => panel.refresh());
  if (state.panel !== null) panel.follow();
  return { view: panel.view, open: (place, event) => panel.open(place, event) };
}

class Panel {
  #before = null; // what had the focus
  #verdict = ""; // the part of the sentence that goes with the threshold of the report
  #title = element("h2", { id: "panel-heading", tabindex: -1 });
  #facts = element("p", { class: "panel-facts" });
  #marks = element("div", { class: "panel-marks controls", role: "group", "aria-label": "Your mark on it" });
  #buttons = null; // those of the document that is open, if it can be marked
  #moved = element("p", { class: "note moved", role: "status" });
  #body = element("div", { class: "panel-body", tabindex: -1 });
  #previous = this.#button("Previous", "Next stranger document (←)", () => this.#step(-1));
  #next = this.#button("Next", "Next less strange document (→)", () => this.#step(1));

  constructor(source, state, reveal, toggleMark) {
    Object.assign(this, { source, state, reveal, toggleMark, reportedThreshold: source.found.threshold });
    const about = { role: "dialog", "aria-labelledby": "panel-heading", hidden: true };
    this.view = element(
      "div",
      { class: "panel on-screen", ...about, keydown: (event) => this.#take(event) },
      element(
        "div",
        { class: "panel-bar controls" },
        this.#previous,
        this.#next,
        this.#button("Show in the list", "Show this document in the list", () => this.#list()),
        this.#button("✕", "Close (Esc)", () => this.#close(), { class: "panel-close", "aria-label": "Close" }),
      ),
      this.#marks,
      this.#body,
    );
    // Also from elsewhere, such as the map, while the panel is open.
    listenWhile(this.view, "keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented && state.panel !== null) this.#close();
    });
  }

  open(place, event) {
    if (this.state.panel === null) this.#before = document.activeElement;
    this.view.classList.toggle("at-left", this.#covers(event));
    if (this.state.panel === place) this.follow();
    else this.state.set({ panel: place });
  }

  /** Show what the state says. */
  async follow() {
    const { view, state, source } = this;
    const place = state.panel;
    const { activeElement } = document;
    const hasFocus = view.contains(activeElement) || activeElement === document.body || activeElement === this.#before;
    view.hidden = place === null;
    if (place === null) return this.#giveBack(hasFocus);
    this.#before ??= document.activeElement;
    const shown = await source.documents.at(place);
    if (state.panel !== place) return undefined; // another one since
    this.#title.replaceChildren(ownDirection(shortened(source.columns.id[place], LONGEST_TITLE)));
    const about = documentView(shown, source.topics, source.word, source.links);
    this.#body.replaceChildren(this.#title, this.#facts, this.#moved, about);
    this.#offerMarks(place);
    [this.#verdict] = partsOfSentence(shown);
    this.#body.scrollTop = 0;
    this.refresh();
    const isStepping = [this.#previous, this.#next].includes(document.activeElement);
    if (!isStepping || document.activeElement.disabled) this.#title.focus({ preventScroll: true });
    return undefined;
  }

  /** Follow the scores and the threshold. */
  refresh() {
    const { columns, topics } = this.source;
    const place = this.state.panel;
    if (place === null) return;
    const isJudged = place < columns.judged;
    const isFlagged = columns.standing[place] < this.state.flagged;
    this.#facts.replaceChildren(
      element("span", {}, isJudged ? `rank ${whole(columns.rank[place])} of ${whole(columns.judged)}` : "not judged"),
      isJudged ? element("span", {}, "score ", element("b", {}, decimal(columns.score[place]))) : "",
      topicName(columns.topic[place], topics),
      isFlagged ? element("span", { class: "flag" }, "flagged") : "",
    );
    const verdict = this.#body.querySelector(".verdict-part");
    this.#buttons?.refresh();
    this.#moved.textContent = sinceMarks(place, columns, isFlagged, this.source.marker);
    this.#moved.hidden = this.#moved.textContent === "";
    const isMoved = this.state.threshold !== this.reportedThreshold && this.#moved.hidden;
    if (verdict && isMoved) verdict.textContent = verdictAt(this.#verdict, isFlagged, columns.score[place], this.state.threshold);
    else if (verdict) verdict.textContent = this.#verdict;
    this.#previous.disabled = columns.standing[place] === 0;
    this.#next.disabled = columns.standing[place] === columns.length - 1;
  }

  /** Show buttons for the mark on a document, if it can have one. */
  #offerMarks(place) {
    const { columns, marker } = this.source;
    this.#buttons = marker?.canMark(place)
      ? markButtons(place, columns, (one) => marker.markOf(one), this.toggleMark)
      : null;
    this.#marks.hidden = this.#buttons === null;
    this.#marks.replaceChildren(...(this.#buttons?.view.childNodes ?? []));
  }

  /** Go to another document in order of score. */
  #step(by) {
    const { columns } = this.source;
    const next = columns.order[columns.standing[this.state.panel] + by];
    if (next !== undefined) this.state.set({ panel: next });
  }

  #list() {
    const place = this.state.panel;
    this.#before = null; // the list takes the focus
    this.state.set({ panel: null });
    this.reveal(place);
  }

  #close() {
    this.state.set({ panel: null });
  }

  /** Give the focus back, unless the reader has moved it on to another part of the page. */
  #giveBack(hasFocus) {
    const before = this.#before;
    this.#before = null;
    if (!hasFocus || before === null || before === document.body) return;
    // A list that has changed in the meantime has other buttons.
    const back = before.isConnected ? before : document.querySelector(".map");
    back?.focus({ preventScroll: true });
  }

  #take(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined || event.target.closest(".text") || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.#step(by);
  }

  /** Return whether the panel would hide what was clicked. */
  #covers(event) {
    if (!event?.clientX || matchMedia("(max-width: 46rem)").matches) return false;
    const { hidden } = this.view;
    this.view.hidden = false;
    const width = this.view.offsetWidth;
    this.view.hidden = hidden;
    return event.clientX > document.documentElement.clientWidth - width - BESIDE;
  }

  #button(text, title, click, attributes = {}) {
    return element("button", { type: "button", title, click, ...attributes }, text);
  }
}
