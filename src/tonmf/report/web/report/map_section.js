import { element } from "../shared/dom.js";
import { MapList } from "./map_list.js";
import { LiveMap } from "./map_live.js";
import { MapTools } from "./map_tools.js";
import { whenNear } from "../shared/near.js";

const BY_TOPICS =
  "Each topic is a disc; related topics are neighbours. The more of a document its topic explains, the nearer it is to the " +
  "middle of the disc, and its other topics draw it towards theirs. What no topic explains is at the edge of the map.";
const BY_MEANING =
  "Documents side by side are alike in meaning, by their embeddings; distances between far ones say little. The name of a " +
  "topic is amid its documents.";
const RINGS = " Flagged documents have a ring; where they are crowded, only the strangest does until you zoom in.";
const HOW =
  " Click a document to read it. Drag to move the map, or with Shift to select. Zoom with the wheel, two fingers, or the " +
  "keys + and −; 0 shows all.";

/**
 * What the map adds to the state of the page. Anybody may set it, and the map follows.
 *
 * `view` is the part of the map that is shown, `{x, y, zoom}` in units of the map; null is all of it. The map sets it whenever
 * it comes to rest. It also sets `selected`, a filter of the list, and reads `panel` (see `PANEL_STATE`).
 */
export const MAP_STATE = { view: null };

/**
 * The map: all judged documents, to zoom and to move, and as a list.
 *
 * @param {object} source `columns`, `documents` and `topics`.
 * @param {boolean} isByMeaning whether documents are placed by their embeddings.
 * @param {State} state with `MAP_STATE`, `panel`, and what the list has.
 * @param {object} on `open(place, event)` opens a document, and `choose(criteria)` lists documents.
 */
export function mapSection(source, isByMeaning, state, on) {
  return element(
    "section",
    { id: "map", "aria-labelledby": "map-heading" },
    element("h2", { id: "map-heading" }, "Map"),
    source.topics.length > 0
      ? mapParts(source, isByMeaning, state, on)
      : element("p", { class: "absent" }, "There are no topics, so there is no map."),
  );
}

function mapParts(source, isByMeaning, state, on) {
  const container = element("div", {
    class: "map",
    role: "application",
    "aria-roledescription": "map",
    "aria-label": "Map of the documents",
    "aria-describedby": "map-how",
    tabindex: 0,
  });
  let live = null;
  const tools = new MapTools(state, on.choose, {
    zoom: (factor) => live?.zoom(factor),
    whole: () => live?.show(null),
    selectAll: () => live?.selectAll(),
  });
  const list = new MapList(source, state, { ...on, go: (topic) => live?.showTopic(topic) });
  whenNear(container, () => (live = new LiveMap({ container, tools, list }, source, state, on)));
  return [
    tools.view,
    container,
    element(
      "p",
      { class: "caption" },
      isByMeaning ? BY_MEANING : BY_TOPICS,
      RINGS,
      element("span", { class: "on-screen", id: "map-how" }, HOW),
    ),
    list.view,
  ];
}
