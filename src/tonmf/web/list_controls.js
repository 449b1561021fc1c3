import { ALL, ORDERS } from "./choice.js";
import { element } from "./dom.js";
import { whole } from "./format.js";

const SIZES = [25, 50, 100, 250, 500];
const PAUSE = 250;

/** Search, filters and order of the list. */
export function listControls({ columns, topics, groups }, state, find) {
  const [query, queryField] = searchField(state, find);
  const alarms = ["empty", "unknown", "repeated", "rare"].filter((alarm) => columns.alarm.includes(alarm));
  const filters = [
    choiceOf("Show", "show", [
      ["all", "all"],
      ["flagged", "flagged"],
      ["not flagged", "not flagged"],
    ]),
    topics.length > 0 && choiceOf("Topic", "topic", [...topics.map(topicOption), [0, "no topic"]], "all"),
    alarms.length > 0 && choiceOf("Alarm", "alarm", [...alarms.map((alarm) => [alarm, alarm]), ["", "none"]], "all"),
    groups.length > 0 && choiceOf("Group", "group", groups.map(groupOption), "all"),
    columns.label &&
      choiceOf(
        "Label",
        "label",
        [
          [1, "outlier"],
          [0, "ordinary"],
        ],
        "all",
      ),
    choiceOf("Sort by", "sort", Object.entries(ORDERS)),
  ].filter(Boolean);
  const selection = element("button", { type: "button", class: "chip", click: () => state.set({ selected: null }) });
  const clear = element("button", { type: "button", click: () => state.set({ ...ALL }) }, "Clear filters");

  function choiceOf(label, name, options, everything) {
    const all = everything ? [[null, everything], ...options] : options;
    const field = element(
      "select",
      { change: () => state.set({ [name]: all[field.selectedIndex][0], page: 0 }) },
      all.map(([, text]) => element("option", {}, text)),
    );
    const follow = () => (field.selectedIndex = all.findIndex(([value]) => value === state[name]));
    state.on([name], follow);
    follow();
    return element("label", {}, element("span", {}, label), field);
  }

  function follow() {
    const n_selected = state.selected?.reduce((sum, one) => sum + one, 0) ?? 0;
    selection.hidden = state.selected === null;
    selection.textContent = `Selected on the map: ${whole(n_selected)} ✕`;
    selection.setAttribute("aria-label", `Selected on the map: ${whole(n_selected)}. Clear the selection.`);
    clear.hidden = Object.entries(ALL).every(([name, value]) => state[name] === value);
    if (state.query === "" && query.value.trim() !== "" && document.activeElement !== query) query.value = "";
  }
  state.on(Object.keys(ALL), follow);
  follow();
  return element("div", { class: "list-controls controls", role: "search" }, queryField, ...filters, selection, clear);
}

function topicOption({ number, words }) {
  return [number, `${number} ${words.slice(0, 3).join(", ")}`];
}

function groupOption({ words, size }, number) {
  return [number, `${words.slice(0, 3).join(", ")} (${whole(size)})`];
}

function searchField(state, find) {
  let waiting = 0;
  const status = element("span", { class: "search-status", role: "status" });
  const field = element("input", { type: "search", placeholder: "id, words or text", input: soon, keydown: now });
  function start() {
    clearTimeout(waiting);
    find(field.value.trim(), (text) => (status.textContent = text));
  }
  function soon() {
    clearTimeout(waiting);
    waiting = setTimeout(start, PAUSE);
  }
  function now(event) {
    if (event.key === "Enter") start();
  }
  state.on(["query"], () => {
    if (state.query === "") status.textContent = "";
  });
  const label = element("label", {}, element("span", {}, "Search"), field);
  return [field, element("div", { class: "search" }, label, status)];
}

/** Buttons from page to page, and how long a page is. */
export function pager(state) {
  let last = 0;
  const go = (step) => () => state.set({ page: Math.min(Math.max(state.page + step, 0), last) });
  const previous = element("button", { type: "button", click: go(-1) }, "Previous");
  const next = element("button", { type: "button", click: go(1) }, "Next");
  const place = element("span", { class: "page-place" });
  const size = element(
    "select",
    { change: () => state.set({ size: SIZES[size.selectedIndex], page: 0 }) },
    SIZES.map((number) => element("option", { selected: number === state.size }, String(number))),
  );
  const view = element(
    "nav",
    { class: "pager controls", "aria-label": "Pages of the list" },
    previous,
    place,
    next,
    element("label", {}, element("span", {}, "a page has"), size),
  );
  function follow(lastPage) {
    last = lastPage;
    previous.disabled = state.page === 0;
    next.disabled = state.page >= last;
    place.textContent = `Page ${whole(state.page + 1)} of ${whole(last + 1)}`;
  }
  return { view, follow };
}
