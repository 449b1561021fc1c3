import { element, hidden, ownDirection } from "./dom.js";
import { counted, shortened, whole } from "./format.js";

const LONGEST_COPY_ID = 120;

/** Ids to list at most; nobody reads more, and they take the browser long. */
const MOST_IDS = 1000;

/**
 * Put exact copies on one line.
 *
 * @param {Int32Array} places of the documents, in the order of the list.
 * @param {Int32Array} first of each place, that of the first document that is the same word for word.
 * @returns {{lines: Int32Array, copies: Map<number, number[]>}} the first place of each line, and for those that stand for
 *     several documents the places of the others.
 */
export function together(places, first) {
  const heads = new Int32Array(first.length).fill(-1);
  const copies = new Map();
  const lines = places.filter((place) => {
    const head = heads[first[place]];
    if (head < 0) {
      heads[first[place]] = place;
      return true;
    }
    if (!copies.has(head)) copies.set(head, []);
    copies.get(head).push(place);
    return false;
  });
  return { lines, copies };
}

/** Return whether any document is an exact copy of another. */
export function anyCopies(first) {
  return first.some((one, place) => one !== place);
}

/** "×7" beside the id of a document that stands for seven; it opens to the ids of the others. */
export function copiesView(columns) {
  let others = [];
  const summary = element("summary");
  const list = element("ul");
  const view = element("details", { class: "copies", hidden: true, toggle: fill }, summary, list);

  function show(places) {
    if (places.length === others.length && places.every((place, number) => place === others[number])) return;
    others = places;
    view.hidden = others.length === 0;
    view.open = false;
    list.replaceChildren();
    const number = others.length + 1;
    summary.replaceChildren(`×${whole(number)}`, hidden(`: ${counted(number, "document")} with the same content`));
    summary.title = `${counted(number, "document")} with the same content. List the others.`;
  }

  function fill() {
    if (!view.open || list.hasChildNodes()) return;
    const ids = others.slice(0, MOST_IDS).map((place) => shortened(columns.id[place], LONGEST_COPY_ID));
    const rest = others.length - ids.length;
    list.append(...ids.map((id) => element("li", {}, ownDirection(id))));
    if (rest > 0) list.append(element("li", { class: "absent" }, `and ${whole(rest)} more`));
  }

  return { view, show };
}
