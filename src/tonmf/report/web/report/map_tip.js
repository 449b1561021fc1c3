import { textOf } from "../shared/data.js";
import { element, ownDirection } from "../shared/dom.js";
import { decimal, shortened, whole } from "../shared/format.js";
import { topicName } from "../shared/topic_marks.js";

const TIP_ID = 60;
const TIP_TEXT = 160;

/** Milliseconds for which a pointer stays on a document before its text is unpacked. */
const TIP_REST = 60;

/** A box beside a point of the map with a document's id, rank, score, topic, and how its text begins. */
export class MapTip {
  #timer = 0;
  #place = -1;

  constructor({ columns, documents, topics }, state) {
    Object.assign(this, { columns, documents, topics, state });
    this.view = element("div", { class: "map-tip", "aria-hidden": "true", hidden: true });
  }

  hide() {
    clearTimeout(this.#timer);
    this.#place = -1;
    this.view.hidden = true;
  }

  show(place, { x, y }, { width, height }) {
    if (place !== this.#place) this.#fill(place);
    const { view } = this;
    view.hidden = false;
    const { offsetWidth, offsetHeight } = view;
    const left = Math.max(4, Math.min(x + 16, width - offsetWidth - 4));
    const top = y + 18 + offsetHeight > height ? y - offsetHeight - 14 : y + 18;
    view.style.setProperty("left", `${left}px`);
    view.style.setProperty("top", `${Math.max(4, top)}px`);
  }

  #fill(place) {
    clearTimeout(this.#timer);
    this.#place = place;
    const { columns, documents, topics, state } = this;
    const excerpt = element("p", { class: "excerpt", dir: "auto" }, "…");
    const isFlagged = columns.standing[place] < state.flagged;
    this.view.replaceChildren(
      element("p", {}, ownDirection(shortened(columns.id[place], TIP_ID), "b")),
      element(
        "p",
        { class: "map-tip-facts" },
        topicName(columns.topic[place], topics),
        element("span", {}, `rank ${whole(columns.rank[place])}, score ${decimal(columns.score[place])}`),
        isFlagged && element("span", { class: "flag" }, "flagged"),
      ),
      excerpt,
    );
    this.#timer = setTimeout(async () => {
      const beginning = textOf(await documents.at(place)).slice(0, 4 * TIP_TEXT);
      excerpt.textContent = shortened(beginning.replace(/\s+/g, " ").trim(), TIP_TEXT);
      excerpt.hidden = excerpt.textContent === "";
    }, TIP_REST);
  }
}
