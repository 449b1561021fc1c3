import { ALL, ORDERS, sizeOf } from "./choice.js";
import { anyCopies } from "./copies.js";
import { UNLABELLED } from "./data.js";
import { element } from "./dom.js";
import { isolated, whole } from "./format.js";

const ALARM_NAMES = ["empty", "unknown", "repeated", "rare"];
const BY_FLAG = ["all", "flagged", "not flagged"];
const EVERY = [null, "all"];
const MARKED = [EVERY, ["strange", "strange"], ["fine", "fine"], ["none", "none"]];
const COPIES = { together: "on one line", each: "on a line each" };

/** The list's search field, filters and sort order. */
export function listControls({ columns, topics, groups, marker }, state, searchView) {
  const alarms = ALARM_NAMES.filter((alarm) => columns.alarm.includes(alarm)).map((alarm) => [alarm, alarm]);
  const labels = [[1, "outlier"], [0, "ordinary"], ...(columns.label?.includes(UNLABELLED) ? [[UNLABELLED, "none"]] : [])];
  const flags = columns.judged < columns.length ? [...BY_FLAG, "not judged"] : BY_FLAG;
  return element(
    "div",
    { class: "list-controls controls", role: "search" },
    searchView,
    element(
      "div",
      { class: "filters" },
      choiceField(
        "Show",
        "show",
        flags.map((flag) => [flag, flag]),
        state,
      ),
      topics.length > 0 && choiceField("Topic", "topic", [EVERY, ...topics.map(topicOption), [0, "no topic"]], state),
      alarms.length > 0 && choiceField("Alarm", "alarm", [EVERY, ...alarms, ["", "none"]], state),
      groups.length > 0 && choiceField("Group", "group", [EVERY, ...groups.map(groupOption)], state),
      columns.label && choiceField("Label", "label", [EVERY, ...labels], state),
      marker && choiceField("Mark", "mark", MARKED, state),
      anyCopies(columns.first) && choiceField("Copies", "copies", Object.entries(COPIES), state),
      choiceField("Sort by", "sort", Object.entries(ORDERS), state),
    ),
    selectionButton(state),
    clearButton(state),
  );
}

/** A select field for one value of the state; options are pairs of a value and its name. */
function choiceField(label, name, options, state) {
  const field = element(
    "select",
    { change: () => state.set({ [name]: options[field.selectedIndex][0], page: 0 }) },
    options.map(([, text]) => element("option", {}, text)),
  );
  const follow = () => (field.selectedIndex = options.findIndex(([value]) => value === state[name]));
  state.on([name], follow);
  follow();
  return element("label", {}, element("span", {}, label), field);
}

function topicOption({ number, words }) {
  return [number, `${number} ${firstWords(words)}`];
}

function groupOption({ words, size, copies }, number) {
  return [number, `${firstWords(words)} (${whole(size)}${copies ? " copies" : ""})`];
}

function firstWords(words) {
  return words.slice(0, 3).map(isolated).join(", ");
}

function selectionButton(state) {
  const button = element("button", { type: "button", click: () => state.set({ selected: null }) });
  function follow() {
    const what = `Selected on the map: ${whole(sizeOf(state.selected))}`;
    button.hidden = state.selected === null;
    button.textContent = `${what} ✕`;
    button.setAttribute("aria-label", `${what}. Clear the selection.`);
  }
  state.on(["selected"], follow);
  follow();
  return button;
}

function clearButton(state) {
  const button = element("button", { type: "button", click: () => state.set({ ...ALL }) }, "Clear filters");
  const follow = () => (button.hidden = Object.entries(ALL).every(([name, value]) => state[name] === value));
  state.on(Object.keys(ALL), follow);
  follow();
  return button;
}
