import { element, ownDirection } from "../shared/dom.js";
import { counted, decimal, shortened, whole } from "../shared/format.js";
import { topicName } from "../shared/topic_marks.js";

const FIRST_LISTED = 5;
const MORE_LISTED = 20;
const LISTED_ID = 80;

/**
 * The documents in view as a list, for those who cannot see the map or do not use a pointer: by topic, the strangest first. It
 * is filled once it is unfolded, and follows the map.
 *
 * @param {object} source `columns` and `topics`.
 * @param {State} state
 * @param {object} on `open(place)`, `go(topic)` zooms to a topic, `choose(criteria)` filters the list of documents.
 */
export class MapList {
  #places = new Int32Array(0);
  #shown = new Map(); // how many documents of each topic

  constructor({ columns, topics }, state, on) {
    Object.assign(this, { columns, topics, state, on });
    this.summary = element("summary");
    this.groups = element("div", { class: "map-groups" });
    this.view = element("details", { class: "map-list on-screen", toggle: () => this.#fill() }, this.summary, this.groups);
    this.follow(columns.order.subarray(0, columns.judged), true);
  }

  /** Take the documents in view, and whether these are all of the map. */
  follow(places, isWhole) {
    const { columns, state } = this;
    this.#places = places;
    const flagged = places.reduce((count, place) => count + (columns.standing[place] < state.flagged ? 1 : 0), 0);
    const where = isWhole ? "on the map" : "in this part of the map";
    this.summary.textContent = `List of what is ${where}: ${counted(places.length, "document")}, ${whole(flagged)} flagged`;
    this.#fill();
  }

  #fill() {
    if (!this.view.open) return;
    const byTopic = new Map();
    const { standing } = this.columns;
    for (const place of this.#places.toSorted((one, other) => standing[one] - standing[other])) {
      const number = this.columns.topic[place];
      if (byTopic.has(number)) byTopic.get(number).push(place);
      else byTopic.set(number, [place]);
    }
    const groups = [...byTopic].sort(([one], [other]) => (one || Infinity) - (other || Infinity));
    const focused = this.groups.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
    this.groups.replaceChildren(...groups.map(([number, places]) => this.#group(number, places)));
    if (focused) this.groups.querySelector(`[data-key="${focused}"]`)?.focus({ preventScroll: true });
  }

  #group(number, places) {
    const { topics, on } = this;
    const topic = topics.find((one) => one.number === number);
    const shown = this.#shown.get(number) ?? FIRST_LISTED;
    const more = Math.min(places.length - shown, MORE_LISTED);
    return element(
      "section",
      { class: "map-group" },
      element("h3", {}, topicName(number, topics, 3), " ", element("span", { class: "quantity" }, whole(places.length))),
      element(
        "ol",
        {},
        places.slice(0, shown).map((place) => this.#item(place)),
      ),
      element(
        "p",
        { class: "controls" },
        more > 0 && this.#button(`more-${number}`, `Show ${whole(more)} more`, () => {
          this.#shown.set(number, shown + MORE_LISTED);
          const next = places[shown];
          this.#fill();
          this.groups.querySelector(`[data-key="at-${next}"]`)?.focus({ preventScroll: true });
        }),
        topic && this.#button(`go-${number}`, "Zoom to this topic", () => on.go(topic)),
        this.#button(`choose-${number}`, "All its documents", () => on.choose({ topic: number })),
      ),
    );
  }

  #item(place) {
    const { columns, state, on } = this;
    const isFlagged = columns.standing[place] < state.flagged;
    return element(
      "li",
      {},
      element(
        "button",
        { type: "button", class: "link", "data-key": `at-${place}`, click: (event) => on.open(place, event) },
        ownDirection(shortened(columns.id[place], LISTED_ID)),
      ),
      " ",
      element("span", { class: "quantity" }, decimal(columns.score[place])),
      isFlagged && [" ", element("span", { class: "flag" }, "flagged")],
    );
  }

  #button(key, text, click) {
    return element("button", { type: "button", class: "link", "data-key": key, click }, text);
  }
}
