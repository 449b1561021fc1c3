import { element } from "../shared/dom.js";
import { counted, flaggedOf, unjudgedOf, whole } from "../shared/format.js";
import { themeButton } from "../shared/theme.js";

/**
 * The title, how many documents are flagged, and links to the sections.
 *
 * @param {object} summary of the report.
 * @param {State} state
 * @param {HTMLElement[]} navigation links to the sections.
 * @param {function(...*): HTMLElement} aboutLink makes a link to where the notes are.
 */
export function header({ analysed, title, notes }, state, navigation, aboutLink) {
  const verdict = element("p", { class: "verdict" });
  function follow() {
    const count = whole(state.flagged);
    const rest = flaggedOf(state.flagged, analysed.documents).slice(count.length);
    verdict.replaceChildren(element("strong", {}, count), rest);
  }
  state.on(["threshold", "ranked"], follow);
  follow();
  const unjudged = unjudgedOf(analysed.empty, analysed.word);
  return element(
    "header",
    { class: "page-header" },
    element("div", { class: "bar-above" }, element("nav", { "aria-label": "Sections" }, navigation), themeButton()),
    element("h1", { dir: "auto" }, title),
    verdict,
    (unjudged || notes.length > 0) &&
      element("p", { class: "note" }, unjudged, unjudged && " ", notes.length > 0 && aboutLink(counted(notes.length, "note"))),
  );
}

export function footer({ made }) {
  return element("footer", { class: "page-footer" }, `Made with tonmf ${made.tonmf}, ${dateOf(made.when)}.`);
}

/** Format a time in UTC, so that a report reads the same everywhere. */
export function dateOf(when) {
  const date = new Date(when);
  if (Number.isNaN(date.getTime())) return String(when);
  const [day, time] = date.toISOString().split("T");
  return `${day} ${time.slice(0, 5)} UTC`;
}
