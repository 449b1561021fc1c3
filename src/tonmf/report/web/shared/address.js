/**
 * The part of the page's address after "#": a section, then keys with values, such as "#documents&topic=3&q=old+bridge".
 *
 * Whatever a page shows can so be linked to, and Back leads to what it showed before. A report knows the keys `doc`, `panel`,
 * `show`, `topic`, `alarm`, `group`, `label`, `mark`, `q`, `sort`, `order`, `copies`, `page`, `size` and `threshold`.
 */

/** Return the section and the values that the address names; a value that comes twice counts as it came last. */
export function readAddress(hash = location.hash) {
  let section = "";
  const values = new Map();
  for (const part of hash.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    if (at > 0) values.set(decoded(part.slice(0, at)), decoded(part.slice(at + 1)));
    else if (part !== "" && at < 0) section = decoded(part);
  }
  return { section, values };
}

/** Return the address of a section and of values, pairs of key and text; "#" if there are none. */
export function hashOf(section, values = []) {
  const pairs = [...values].map(([key, value]) => `${encoded(key)}=${encoded(value)}`);
  return `#${[...(section ? [encoded(section)] : []), ...pairs].join("&")}`;
}

/** What the browser keeps with each address that has been shown, so that a return to it is known from a new one. */
const VISITED = { isVisited: true };

/** Begin a step, to which Back leads, before the page changes: the browser keeps how far the page was scrolled until here. */
export function beginStep() {
  history.pushState(VISITED, "", location.href);
}

/** Change the address in place, without a jump. */
export function writeAddress(address) {
  if (address !== (location.hash || "#")) history.replaceState(VISITED, "", address);
  else if (!history.state?.isVisited) history.replaceState(VISITED, "", location.href);
}

/**
 * Call a function when the reader goes to another address of the page: by a link, Back, Forward, or by typing it.
 *
 * @param {function({section: string, values: Map}, boolean)} run also gets whether the reader returns to what was shown before,
 *     in which case the browser scrolls.
 */
export function onAddress(run) {
  addEventListener("hashchange", () => run(readAddress(), Boolean(history.state?.isVisited)));
}

/** Keep what is frequent in ids readable. */
function encoded(text) {
  return encodeURIComponent(text.toWellFormed()).replaceAll("%20", "+").replaceAll("%2F", "/").replaceAll("%40", "@");
}

function decoded(text) {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text; // someone has mangled it
  }
}
