import { element, oncePerFrame } from "./dom.js";

const DARK = matchMedia("(prefers-color-scheme: dark)");
const PRINTING = matchMedia("print");

/** The name under which the browser keeps the choice. */
const STORED = "tonmf-theme";

let colours = new Map();
const followers = new Map();

/** Return a colour of the page by the name of its custom property, for drawing on a canvas. */
export function colour(name) {
  if (!colours.has(name)) colours.set(name, computed(`var(${name})`));
  return colours.get(name);
}

/** Resolve a colour through an element: a custom property itself holds both themes' colours. */
function computed(value) {
  const probe = document.body.appendChild(element("span", { hidden: true, style: { color: value } }));
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/** Call a function whenever colours change, by theme or for print, as long as `place` is in the page. */
export function onTheme(run, place = document.documentElement) {
  for (const [other, itsPlace] of followers) if (!itsPlace.isConnected) followers.delete(other);
  followers.set(run, place);
}

function tell() {
  colours = new Map();
  for (const run of followers.keys()) run();
}

for (const query of [DARK, PRINTING]) query.addEventListener("change", tell);

export function isPrinting() {
  return PRINTING.matches;
}

/** Call a function whenever an element's width changes; not in print, which is laid out before scripts could run. */
export function onWidth(target, run) {
  let width = target.clientWidth;
  const follow = oncePerFrame(() => {
    if (isPrinting() || target.clientWidth === width || target.clientWidth === 0) return;
    width = target.clientWidth;
    run();
  });
  new ResizeObserver(follow).observe(target);
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : DARK.matches;
}

/** A button that switches between light and dark. The choice is remembered, until it is again that of the system. */
export function themeButton() {
  const name = element("span", { class: "theme-name" });
  const button = element("button", { type: "button", class: "theme", click: change }, name);
  function follow() {
    name.textContent = isDark() ? "Light colours" : "Dark colours";
  }
  function change() {
    const chosen = isDark() ? "light" : "dark";
    const isOfSystem = DARK.matches === (chosen === "dark");
    if (isOfSystem) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
    remember(isOfSystem ? null : chosen);
    tell();
  }
  onTheme(follow);
  follow();
  return button;
}

/** Where a browser has no storage, or denies it, as to reports that a server sends, nothing is remembered. */
function remember(theme) {
  try {
    if (theme) localStorage.setItem(STORED, theme);
    else localStorage.removeItem(STORED);
  } catch {
    /* the choice lasts as long as the page */
  }
}

function recall() {
  try {
    const theme = localStorage.getItem(STORED);
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    /* the page follows the system */
  }
}

recall();
