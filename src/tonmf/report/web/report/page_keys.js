import { ALL, ORDERS } from "../shared/choice.js";
import { UNLABELLED } from "../shared/data.js";
import { LIST_STATE } from "../shared/list.js";
import { SIZES } from "../shared/pager.js";

/** Longer ids are replaced by the number of their document. */
const LONGEST_KEY = 200;

/**
 * The keys of a report's address, and the values of its state that they stand for.
 *
 * `read` returns undefined for a text that means nothing here: addresses are typed, cut off and made up. `write` returns null for
 * the value that needs no mention.
 *
 * @returns {{key: string, name: string, initial: *, read: function(string), write: function(*)}[]}
 */
export function keysOf(columns, topics, groups) {
  const same = (values) => values.map((value) => [String(value), value]);
  return [
    documentKey("doc", "opened", columns),
    documentKey("panel", "panel", columns),
    { key: "view", name: "view", initial: null, read: readView, write: writeView },
    { key: "q", name: "query", initial: "", read: (text) => text.trim(), write: (query) => query || null },
    choiceKey("show", "show", [["flagged", "flagged"], ["not-flagged", "not flagged"], ["not-judged", "not judged"]]),
    choiceKey("topic", "topic", [["none", 0], ...same(topics.map(({ number }) => number))]),
    choiceKey("alarm", "alarm", [["none", ""], ...same(["empty", "unknown", "repeated", "rare"])]),
    choiceKey("group", "group", groups.map((_, group) => [String(group + 1), group])),
    choiceKey("label", "label", columns.label ? [["outlier", 1], ["ordinary", 0], ["none", UNLABELLED]] : []),
    choiceKey("mark", "mark", same(["strange", "fine", "none"])),
    choiceKey("sort", "sort", same(Object.keys(ORDERS))),
    choiceKey("order", "descending", [["descending", true]]),
    choiceKey("copies", "copies", [["each", "each"]]),
    choiceKey("size", "size", same(SIZES)),
    {
      key: "page",
      name: "page",
      initial: 0,
      read: (text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) - 1 : undefined),
      write: (page) => (page > 0 ? String(page + 1) : null),
    },
  ];
}

/** Read a part of the map: its middle and how far it is zoomed in, three numbers. */
function readView(text) {
  const [x, y, zoom] = text.split(",").map(Number);
  return [x, y, zoom].every(Number.isFinite) && zoom > 1 ? { x, y, zoom } : undefined;
}

function writeView(part) {
  return part === null ? null : [part.x, part.y, part.zoom].join(",");
}

/** A key with few values, given as pairs of a text and a value. */
function choiceKey(key, name, pairs) {
  const initial = name in ALL ? ALL[name] : LIST_STATE[name];
  return {
    key,
    name,
    initial,
    read: (text) => pairs.find(([known]) => known === text)?.[1],
    write: (value) => (value === initial ? null : (pairs.find(([, known]) => known === value)?.[0] ?? null)),
  };
}

/** A key for a document: its id or, where that is not its own or too long, "@" and its number in input order. */
function documentKey(key, name, { id, row }) {
  const isNamed = (place) => id[place] !== "" && id[place].length <= LONGEST_KEY && id.indexOf(id[place]) === place;
  const numbered = (text) => (/^@\d{1,9}$/.test(text) ? row.indexOf(Number(text.slice(1)) - 1) : -1);
  return {
    key,
    name,
    initial: null,
    read: (text) => [id.indexOf(text), numbered(text)].find((place) => place >= 0),
    write: (place) => (place === null ? null : isNamed(place) ? id[place] : `@${row[place] + 1}`),
  };
}
