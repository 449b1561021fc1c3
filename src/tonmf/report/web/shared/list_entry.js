import { copiesView } from "./copies.js";
import { textOf } from "./data.js";
import { documentView } from "./document_view.js";
import { element, ownDirection, wordList } from "./dom.js";
import { decimal, shortened, whole } from "./format.js";
import { topicName } from "./topic_marks.js";

const LONGEST_ID = 120;
const LONGEST_NAME = 40;
const LONGEST_EXCERPT = 240;

/** One document of the list, or several copies: a row, and below it, once opened, everything about the document. */
export function listEntry(place, source, state) {
  const { columns, documents, scores, topics, word } = source;
  const [id, score] = [columns.id[place], columns.score[place]];
  const detailId = `document-${place}`;
  const button = element(
    "button",
    { type: "button", class: "open", "aria-expanded": "false", "aria-controls": detailId, click: toggle },
    ownDirection(shortened(id, LONGEST_ID)),
  );
  const copies = copiesView(columns);
  const isJudged = place < columns.judged;
  const flag = element("span", { class: "flag" });
  const words = element("td", { class: "for-words" });
  const row = element(
    "tr",
    {
      class: "entry-row",
      click: (event) => !event.target.closest("button, details") && String(getSelection()) === "" && toggle(),
    },
    element("td", { class: "for-rank number" }, whole(columns.rank[place])),
    element(
      "td",
      { class: "for-score" },
      isJudged
        ? [
            element("span", { class: "number" }, decimal(score)),
            flag,
            element("span", { class: "bar", style: { "--part": barOf(score, scores).toFixed(3) } }),
          ]
        : element("span", { class: "absent" }, "not judged"),
    ),
    element("th", { scope: "row", class: "for-id" }, button, copies.view),
    element("td", { class: "for-topic" }, topicName(columns.topic[place], topics)),
    columns.label && element("td", { class: "for-label" }, columns.label[place] ? "outlier" : ""),
    words,
  );
  const moved = element("p", { class: "note moved", hidden: true });
  const detail = element("td", { colspan: columns.label ? 6 : 5 });
  const detailRow = element("tr", { class: "entry-detail", id: detailId, hidden: true }, detail);
  const view = element("tbody", { class: "entry", "data-place": place }, row, detailRow);
  const filled = fill();

  async function fill() {
    const shown = await documents.at(place);
    const names = (shown.unexpected ?? []).map((unexpected) => shortened(unexpected.word, LONGEST_NAME));
    words.replaceChildren(
      element("span", { class: "words-line", dir: "auto" }, wordList(names)),
      element("span", { class: "excerpt", dir: "auto" }, excerptOf(shown)),
    );
  }

  function toggle() {
    if (detailRow.hidden) return open();
    detailRow.hidden = true;
    button.setAttribute("aria-expanded", "false");
    view.classList.remove("opened");
    if (state.opened === place) state.set({ opened: null });
  }

  async function open() {
    if (!detail.hasChildNodes()) {
      const shown = await documents.at(place);
      if (!detail.hasChildNodes()) detail.append(moved, documentView(shown, topics, word));
    }
    detailRow.hidden = false;
    button.setAttribute("aria-expanded", "true");
    view.classList.add("opened");
    state.set({ opened: place });
  }

  /** Follow the threshold. The sentence was written for the model's own threshold, so add a note if the verdict differs. */
  function refresh() {
    const isFlagged = place < state.flagged;
    view.classList.toggle("is-flagged", isFlagged);
    flag.textContent = isFlagged ? "flagged" : "";
    moved.hidden = isFlagged === place < source.flagged;
    const verdict = isFlagged ? "flagged" : "not flagged";
    moved.textContent = `With the threshold moved to ${decimal(state.threshold)} it is ${verdict}.`;
  }

  return { view, filled, open, refresh, showCopies: copies.show };
}

function barOf(score, scores) {
  const [low, high] = [scores.lowest, scores.highest].map((end) => scores.forward(end));
  return high > low ? (scores.forward(score) - low) / (high - low) : 1;
}

/** Return the beginning of a text, on one line. */
function excerptOf(shown) {
  const beginning = textOf(shown).slice(0, 4 * LONGEST_EXCERPT);
  return shortened(beginning.replace(/\s+/g, " ").trim(), LONGEST_EXCERPT);
}
