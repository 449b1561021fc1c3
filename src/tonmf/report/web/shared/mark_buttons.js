import { element } from "./dom.js";
import { shortened } from "./format.js";

/** The marks, the words on their buttons, and their keys. */
export const MARK_KINDS = [
  { mark: "strange", label: "Strange", key: "y" },
  { mark: "fine", label: "Fine", key: "n" },
];

/**
 * Two buttons that mark a document as strange or fine; pressed again, they take the mark back.
 *
 * @param {number} place
 * @param {object} columns
 * @param {function(number): (string|null)} markOf
 * @param {function(number, string)} toggle
 */
export function markButtons(place, columns, markOf, toggle) {
  const name = shortened(columns.id[place], 80);
  const buttons = MARK_KINDS.map(({ mark, label, key }) =>
    element(
      "button",
      {
        type: "button",
        class: `mark-as ${mark}`,
        "aria-label": `${label}: ${name}`,
        "aria-pressed": "false",
        "aria-keyshortcuts": key,
        title: `Mark as ${mark} (${key}); again to take it back`,
        click: () => toggle(place, mark),
      },
      label,
    ),
  );
  const view = element("td", { class: "for-mark" }, element("div", { class: "mark-buttons" }, buttons));

  function refresh() {
    const current = markOf(place);
    MARK_KINDS.forEach(({ mark }, number) => buttons[number].setAttribute("aria-pressed", String(mark === current)));
  }

  return { view, refresh };
}
