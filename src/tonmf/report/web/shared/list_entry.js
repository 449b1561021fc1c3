import { copiesView } from "./copies.js";
import { textOf } from "./data.js";
import { documentView } from "./document_view.js";
import { element, ownDirection, wordList } from "./dom.js";
import { decimal, shortened, whole } from "./format.js";
import { markButtons } from "./mark_buttons.js";
import { topicName } from "./topic_marks.js";

const LONGEST_ID = 120;
const LONGEST_NAME = 40;
const LONGEST_EXCERPT = 240;

/**
 * One document of the list, or several copies: a row, and below it, once opened, everything about the document.
 *
 * `toggleMark` marks a document, if documents can be marked.
 */
export function listEntry(place, source, state, toggleMark) {
  const { columns, documents, scores, topics, word, marker } = source;
  const id = columns.id[place];
  const detailId = `document-${place}`;
  const button = element(
    "button",
    { type: "button", class: "open", "aria-expanded": "false", "aria-controls": detailId, click: toggle },
    ownDirection(shortened(id, LONGEST_ID)),
  );
  const copies = copiesView(columns);
  const isJudged = place < columns.judged;
  const flag = element("span", { class: "flag" });
  const rank = element("td", { class: "for-rank number" });
  const score = element("span", { class: "number" });
  const bar = element("span", { class: "bar" });
  const words = element("td", { class: "for-words" });
  const buttons = marker?.canMark(place) ? markButtons(place, columns, (one) => marker.markOf(one), toggleMark) : null;
  const row = element(
    "tr",
    {
      class: "entry-row",
      click: (event) => !event.target.closest("button, details") && String(getSelection()) === "" && toggle(),
    },
    rank,
    element(
      "td",
      { class: "for-score" },
      isJudged
        ? [score, flag, bar]
        : element("span", { class: "absent" }, "not judged"),
    ),
    element("th", { scope: "row", class: "for-id" }, button, copies.view),
    element("td", { class: "for-topic" }, topicName(columns.topic[place], topics)),
    columns.label && element("td", { class: "for-label" }, columns.label[place] ? "outlier" : ""),
    marker && (buttons?.view ?? element("td", { class: "for-mark" })),
    words,
  );
  const moved = element("p", { class: "note moved", hidden: true });
  const detail = element("td", { colspan: 5 + (columns.label ? 1 : 0) + (marker ? 1 : 0) });
  const detailRow = element("tr", { class: "entry-detail", id: detailId, hidden: true }, detail);
  const view = element("tbody", { class: "entry", "data-place": place }, row, detailRow);
  const filled = fill();

  async function fill() {
    let shown;
    try {
      shown = await documents.at(place);
    } catch (error) {
      words.replaceChildren(element("span", { class: "absent" }, error.message));
      return;
    }
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
      let shown;
      try {
        shown = await documents.at(place);
      } catch (error) {
        words.replaceChildren(element("span", { class: "absent" }, error.message));
        return;
      }
      if (!detail.hasChildNodes()) detail.append(moved, documentView(shown, topics, word));
      refresh();
    }
    detailRow.hidden = false;
    button.setAttribute("aria-expanded", "true");
    view.classList.add("opened");
    state.set({ opened: place });
  }

  /** Follow scores and threshold. The sentence was written for those of the model, so add a note if the verdict differs. */
  function refresh() {
    const isFlagged = columns.standing[place] < state.flagged;
    const current = columns.score[place];
    rank.textContent = whole(columns.rank[place]);
    score.textContent = decimal(current);
    bar.style.setProperty("--part", barOf(current, scores).toFixed(3));
    buttons?.refresh();
    view.classList.toggle("is-flagged", isFlagged);
    flag.textContent = isFlagged ? "flagged" : "";
    const verdict = isFlagged ? "flagged" : "not flagged";
    const isRescored = decimal(current) !== decimal(columns.reported[place]);
    moved.hidden = isFlagged === place < source.flagged && !isRescored;
    const how = state.threshold === source.found.threshold ? "moved by your marks to" : "moved to";
    moved.textContent = isRescored
      ? [`With your marks it scores ${decimal(current)} and is ${verdict}.`, marker?.saidOf(place), "Before them:"]
          .filter(Boolean)
          .join(" ")
      : `With the threshold ${how} ${decimal(state.threshold)} it is ${verdict}.`;
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
