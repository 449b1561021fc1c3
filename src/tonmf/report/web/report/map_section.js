import { nearestPlace } from "../shared/charts.js";
import { sizeOf } from "../shared/choice.js";
import { element, oncePerFrame } from "../shared/dom.js";
import { counted, decimal, isolated, shortened, whole } from "../shared/format.js";
import { hint } from "../shared/hint.js";
import { MapCanvas } from "./map_canvas.js";
import { labelButtons, placeLabels } from "./map_labels.js";
import { whenNear, whileNear } from "../shared/near.js";
import { onTheme, onWidth } from "../shared/theme.js";

const LARGEST_RADIUS = 270;
const ROOM_FOR_WORDS = 190;
const WIDE_ENOUGH = 640;
const ROOM_FOR_NUMBERS = 58;
const CLICK = 4;

const BY_TOPICS =
  "The closer a document is to a topic’s name, the more it is about that topic; documents that no topic explains are in the " +
  "middle.";
const BY_MEANING =
  "Documents side by side are alike in meaning, by their embeddings; distances between far ones say little. The name of a " +
  "topic is in the direction of its documents.";

/** The map: all documents in a disc, with the topics around it. */
export function mapSection(columns, topics, isByMeaning, state, { choose, reveal }) {
  const container = element("div", { class: "map" });
  const count = element("p", { class: "status", role: "status" });
  const actions = element(
    "div",
    { class: "map-actions controls" },
    count,
    element("button", { type: "button", click: () => choose({ selected: state.selected }) }, "Show them in the list"),
    element("button", { type: "button", click: () => state.set({ selected: null }) }, "Clear selection"),
  );
  function follow() {
    const n_selected = sizeOf(state.selected);
    for (const button of actions.querySelectorAll("button")) button.hidden = n_selected === 0;
    count.textContent = n_selected
      ? `${counted(n_selected, "document")} selected`
      : "Drag a rectangle to select documents.";
  }
  state.on(["selected"], follow);
  follow();
  if (topics.length > 0) whenNear(container, () => startMap(container, columns, topics, state, { choose, reveal }));
  return element(
    "section",
    { id: "map", "aria-labelledby": "map-heading" },
    element("h2", { id: "map-heading" }, "Map"),
    topics.length > 0
      ? [
          actions,
          container,
          element(
            "p",
            { class: "caption" },
            isByMeaning ? BY_MEANING : BY_TOPICS,
            " Documents with a ring are flagged. ",
            element("span", { class: "on-screen" }, "Click one to read it."),
          ),
        ]
      : element("p", { class: "absent" }, "There are no topics, so there is no map."),
  );
}

function startMap(container, columns, topics, state, { choose, reveal }) {
  const map = new MapCanvas(columns);
  map.canvas.setAttribute("role", "img");
  const names = element("div", { class: "map-labels" });
  container.append(map.canvas, names);
  let rectangle = null;

  function layOut() {
    const width = Math.floor(container.clientWidth);
    const room = width < WIDE_ENOUGH ? ROOM_FOR_NUMBERS : ROOM_FOR_WORDS;
    const radius = Math.max(60, Math.min(LARGEST_RADIUS, width / 2 - room));
    const height = 2 * radius + 60;
    const geometry = { width, height, radius, centre: { x: width / 2, y: height / 2 } };
    const labels = placeLabels(topics, geometry);
    container.classList.toggle("numbers-only", room === ROOM_FOR_NUMBERS);
    container.style.setProperty("aspect-ratio", `${width} / ${height}`);
    names.replaceChildren(...labelButtons(labels, geometry, choose));
    map.layOut(geometry, labels);
    mark();
  }

  function mark() {
    map.mark(state, rectangle);
    map.canvas.setAttribute(
      "aria-label",
      `Map of ${counted(columns.judged, "document")} between ${counted(topics.length, "topic")}; ` +
        `${whole(state.flagged)} are flagged. With the keyboard, choose documents by topic with the names around the map, ` +
        "or with the filters of the list.",
    );
  }
  const markSoon = oncePerFrame(whileNear(container, mark));
  state.on(["threshold", "selected", "opened", "ranked"], markSoon);

  layOut();
  onWidth(container, layOut);
  onTheme(() => {
    map.paint();
    mark();
  });

  pointer(map, {
    over: (place, event) =>
      hint(place < 0 ? "" : `${isolated(shortened(columns.id[place], 60))}, score ${decimal(columns.score[place])}`, event),
    click: (place) => (place < 0 ? state.set({ selected: null }) : reveal(place)),
    drag: (box) => {
      rectangle = box;
      markSoon();
    },
    drop: (box) => {
      rectangle = null;
      state.set({ selected: map.inside(box), page: 0 });
      markSoon();
    },
  });
}

/** Translate pointer events: hover over a document, click it, or drag a rectangle. */
function pointer(map, { over, click, drag, drop }) {
  const { canvas } = map;
  let start = null;
  const at = ({ clientX, clientY }) => {
    const box = canvas.getBoundingClientRect();
    const zoom = map.size.width / box.width;
    return { x: (clientX - box.left) * zoom, y: (clientY - box.top) * zoom };
  };
  const under = ({ x, y }) => nearestPlace(map.xs, map.ys, x, y, 10);
  const boxTo = ({ x, y }) => ({
    left: Math.min(start.x, x),
    right: Math.max(start.x, x),
    top: Math.min(start.y, y),
    bottom: Math.max(start.y, y),
  });
  const isFar = ({ x, y }) => Math.hypot(x - start.x, y - start.y) > CLICK;

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    start = at(event);
    canvas.setPointerCapture(event.pointerId);
    over(-1, event);
  });
  canvas.addEventListener("pointermove", (event) => {
    const place = at(event);
    if (start === null) over(under(place), event);
    else if (isFar(place)) drag(boxTo(place));
  });
  canvas.addEventListener("pointerup", (event) => {
    if (start === null) return;
    const place = at(event);
    if (isFar(place)) drop(boxTo(place));
    else click(under(place));
    start = null;
  });
  canvas.addEventListener("pointercancel", () => {
    start = null;
    drag(null);
  });
  canvas.addEventListener("pointerleave", (event) => over(-1, event));
}
