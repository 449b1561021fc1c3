/**
 * Create an element with attributes, listeners and children.
 *
 * A function among the properties listens to the event of that name; `true` sets an attribute without a value; `false`, `null`
 * and `undefined` set none; `style` is an object of style properties. Children are nodes, strings, or lists of them. Strings
 * become text nodes, so nothing in them is ever read as HTML.
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (name === "style") setStyle(made, value);
    else if (value !== false && value !== null && value !== undefined)
      made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** Set styles one by one: the content security policy forbids style attributes. */
export function setStyle(made, styles) {
  for (const [name, value] of Object.entries(styles)) made.style.setProperty(name, value);
}

/** Create an SVG of one path, filled with the colour of the text around it. */
export function drawing(path, viewBox, name) {
  const space = "http://www.w3.org/2000/svg";
  const made = document.createElementNS(space, "svg");
  for (const [key, value] of Object.entries({ viewBox, class: name, "aria-hidden": "true", focusable: "false" })) {
    made.setAttribute(key, value);
  }
  const line = document.createElementNS(space, "path");
  line.setAttribute("d", path);
  made.append(line);
  return made;
}

/** Show a text from the data in its own direction, so that right-to-left text does not reorder what is beside it. */
export function ownDirection(text, tag = "span") {
  return element(tag, { class: "own-direction" }, text);
}

/** Show an id in its own direction. It breaks after a separator rather than inside a number or a word. */
export function named(id, tag = "span") {
  const parts = id.split(/(?<=[/\\_-]|[.:](?!\d))(?=[^/\\_.:-])/);
  return element(
    tag,
    { class: "own-direction document-id" },
    parts.flatMap((part, number) => (number === 0 ? [part] : [element("wbr"), part])),
  );
}

/** Join words with commas, each in its own direction. */
export function wordList(words) {
  return words.flatMap((each, place) => (place === 0 ? [ownDirection(each)] : [", ", ownDirection(each)]));
}

/** Create a text for screen readers only. */
export function hidden(text) {
  return element("span", { class: "unseen" }, text);
}

/** Listen to an event anywhere in the page, until an element that was in it has left. */
export function listenWhile(target, name, run) {
  let wasThere = false;
  function handle(event) {
    wasThere ||= target.isConnected;
    if (target.isConnected) run(event);
    else if (wasThere) document.removeEventListener(name, handle);
  }
  document.addEventListener(name, handle);
}

/** Wrap a function so that all calls before the next frame run it once. */
export function oncePerFrame(run) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      run();
    });
  };
}

/** Create a table from its caption, column names and rows. */
export function tableOf(kind, caption, names, rows) {
  const head = names.map((name) => element("th", { scope: "col" }, name));
  return element(
    "table",
    { class: kind },
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, head)),
    element("tbody", {}, rows),
  );
}
