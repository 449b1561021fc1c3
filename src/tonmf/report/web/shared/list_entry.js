import { copiesView } from "./copies.js";
import { documentView, markedText } from "./document_view.js";
import { element, hidden, named, wordList } from "./dom.js";
import { decimal, shortened, whole } from "./format.js";
import { markButtons } from "./mark_buttons.js";
import { scoreBar } from "./score_bar.js";
import { shaded } from "./shading.js";
import { snippetOf } from "./snippet.js";
import { topicLink } from "./topic_marks.js";
import { partsOfSentence, sinceMarks, verdictAt } from "./verdict.js";

const LONGEST_ID = 120;
const LONGEST_NAME = 40;
const SNIPPET = 220;

/**
 * One document of the list, or several copies: a row, and below it, once opened, everything about the document.
 *
 * `toggleMark` marks a document, if documents can be marked.
 */
export function listEntry(place, source, state, toggleMark) {
  const { columns, documents, topics, word, marker, links } = source;
  const detailId = `document-${place}`;
  const button = element(
    "button",
    { type: "button", class: "open", "aria-expanded": "false", "aria-controls": detailId, click: toggle },
    named(shortened(columns.id[place], LONGEST_ID)),
  );
  const copies = copiesView(columns);
  const score = scoreCell(place, source, state);
  const rank = element("td", { class: "for-rank number" });
  const words = element("td", { class: "for-words" });
  const buttons = marker?.canMark(place) ? markButtons(place, columns, (one) => marker.markOf(one), toggleMark) : null;
  const row = element(
    "tr",
    {
      class: "entry-row",
      click: (event) => !event.target.closest("a, button, details") && String(getSelection()) === "" && toggle(),
    },
    rank,
    score.view,
    words,
    element("th", { scope: "row", class: "for-id" }, button, copies.view),
    element("td", { class: "for-topic" }, topicLink(columns.topic[place], topics, links)),
    columns.label && element("td", { class: "for-label" }, columns.label[place] === 1 ? "outlier" : ""),
    marker && (buttons?.view ?? element("td", { class: "for-mark" })),
  );
  const moved = element("p", { class: "note moved", hidden: true });
  const detail = element("td", { colspan: 5 + (columns.label ? 1 : 0) + (marker ? 1 : 0) });
  const detailRow = element("tr", { class: "entry-detail", id: detailId, hidden: true }, detail);
  const view = element("tbody", { class: "entry", "data-place": place }, row, detailRow);
  const filled = fill();
  let verdict = "";

  /** Return what is known of the document; null if it cannot be had, which the row then says. */
  async function read() {
    try {
      return await documents.at(place);
    } catch (error) {
      words.replaceChildren(element("span", { class: "absent" }, error.message));
      return null;
    }
  }

  async function fill() {
    const shown = await read();
    if (shown !== null) words.replaceChildren(...inShort(shown));
  }

  function toggle() {
    return detailRow.hidden ? open() : close();
  }

  function close() {
    detailRow.hidden = true;
    button.setAttribute("aria-expanded", "false");
    view.classList.remove("opened");
    if (state.opened === place) state.set({ opened: null });
  }

  async function open() {
    if (!detail.hasChildNodes()) {
      const shown = await read();
      if (shown === null) return;
      if (!detail.hasChildNodes()) {
        detail.append(moved, documentView(shown, topics, word, links));
        [verdict] = partsOfSentence(shown);
        refresh();
      }
    }
    detailRow.hidden = false;
    button.setAttribute("aria-expanded", "true");
    view.classList.add("opened");
    state.set({ opened: place });
  }

  /** Follow scores and threshold. The sentence was written for those of the model; its verdict follows the threshold. */
  function refresh() {
    const isFlagged = columns.standing[place] < state.flagged;
    const current = columns.score[place];
    rank.textContent = whole(columns.rank[place]);
    score.refresh(isFlagged);
    buttons?.refresh();
    view.classList.toggle("is-flagged", isFlagged);
    moved.textContent = sinceMarks(place, columns, isFlagged, marker);
    moved.hidden = moved.textContent === "";
    const part = detail.querySelector(".verdict-part");
    if (!part) return;
    const isMoved = state.threshold !== source.reportedThreshold && moved.hidden;
    part.textContent = isMoved ? verdictAt(verdict, isFlagged, current, state.threshold) : verdict;
  }

  return { view, filled, open, close, refresh, showCopies: copies.show };
}

/** A score with its bar. That it is flagged shows by its colour, and is said to those who cannot see it. */
function scoreCell(place, source, state) {
  const { columns } = source;
  if (place >= columns.judged) {
    const view = element("td", { class: "for-score" }, element("span", { class: "absent" }, "not judged"));
    return { view, refresh: () => {} };
  }
  const number = element("span", { class: "number" });
  const flag = hidden("");
  const bar = scoreBar(place, source, state);

  function refresh(isFlagged) {
    number.textContent = decimal(columns.score[place]);
    flag.textContent = isFlagged ? " flagged" : "";
    bar.refresh();
  }

  return { view: element("td", { class: "for-score" }, number, flag, bar.view), refresh };
}

/** Show the part of a text that has most of its unexpected words, or these if there is no text, and the reason. */
export function inShort(shown, length = SNIPPET) {
  const [, reason] = partsOfSentence(shown);
  const snippet = snippetOf(shaded(shown.pieces ?? [], shown.unexpected ?? []), length);
  const names = (shown.unexpected ?? []).map((unexpected) => shortened(unexpected.word, LONGEST_NAME));
  return [
    snippet.length > 0
      ? element("span", { class: "snippet", dir: "auto" }, markedText(snippet, "glimpse"))
      : names.length > 0 && element("span", { class: "snippet words-line", dir: "auto" }, wordList(names)),
    element("span", { class: "why" }, reason || (shown.sentence ?? "")),
  ].filter(Boolean);
}
