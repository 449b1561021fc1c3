import { element, wordList } from "../shared/dom.js";
import { topicMark } from "../shared/topic_marks.js";

/** Words of a name, from many to few: a name that has no room for all gets fewer. */
const WORDS = [3, 2, 1];

/** How much higher or lower than the middle of its documents a name may be, in heights of it. */
const SHIFTS = [0, -1.2, 1.2];

/** Room around a name, in pixels. */
const AROUND = 5;

/** Room around a ring, in pixels. */
const RING_ROOM = 6;

const [SMALLEST_NAME, LARGEST_NAME] = [0.8, 1.1];

/** How much wider than the documents of its topic a name of more than one word may be. */
const BEYOND_DOCUMENTS = 1.4;

/**
 * Names of topics on the map: at the middle of their documents, or above or below it; those of the largest topics come first,
 * and a name without room is left out until the map is larger.
 */
export class MapLabels {
  constructor(topics, columns, go) {
    const extents = extentsOf(topics, columns);
    const most = Math.max(...topics.map(({ documents }) => documents), 1);
    this.labels = topics
      .filter(({ documents }) => documents > 0)
      .sort((one, other) => other.documents - one.documents)
      .map((topic) => {
        const size = SMALLEST_NAME + (LARGEST_NAME - SMALLEST_NAME) * Math.sqrt(topic.documents / most);
        return { topic, extent: extents.get(topic.number), button: labelButton(topic, size, go), sizes: [] };
      });
    this.view = element(
      "div",
      { class: "map-labels" },
      this.labels.map(({ button }) => button),
    );
  }

  /** Forget how large names are, such as after a change of the window. */
  forget() {
    for (const label of this.labels) label.sizes = [];
  }

  /** Place the names for what is shown, if possible not over any of the given points. */
  place(view, points) {
    const taken = [];
    const rings = points.map(({ x, y }) => {
      const [left, right, top, bottom] = [x - RING_ROOM, x + RING_ROOM, y - RING_ROOM, y + RING_ROOM];
      return { left, right, top, bottom };
    });
    for (const label of this.labels) {
      const spot = this.#spotFor(label, view, [...taken, ...rings]) ?? this.#spotFor(label, view, taken);
      label.button.hidden = spot === null;
      if (spot === null) continue;
      taken.push(spot);
      label.button.dataset.words = spot.words;
      // Percentages, so that names stay in place when the map is printed smaller.
      label.button.style.setProperty("left", `${(100 * (spot.left + spot.right)) / 2 / view.width}%`);
      label.button.style.setProperty("top", `${(100 * (spot.top + spot.bottom)) / 2 / view.height}%`);
    }
  }

  #spotFor(label, view, taken) {
    const { x, y } = view.toWindow(label.topic.x, label.topic.y);
    if (x < 0 || y < 0 || x > view.width || y > view.height) return null;
    for (const words of WORDS) {
      const { width, height } = this.#sizeOf(label, words);
      if (words > 1 && width > BEYOND_DOCUMENTS * label.extent * view.scale) continue;
      for (const shift of SHIFTS) {
        const spot = spotAt(x, y + shift * height, width, height, view, words);
        if (spot && !taken.some((other) => isOver(spot, other))) return spot;
      }
    }
    return null;
  }

  #sizeOf({ button, sizes }, words) {
    if (!sizes[words]) {
      button.hidden = false;
      button.dataset.words = words;
      sizes[words] = { width: button.offsetWidth, height: button.offsetHeight };
    }
    return sizes[words];
  }
}

/** Return how wide the documents of each topic lie on the map: of a disc that is filled evenly, the diameter. */
function extentsOf(topics, { x, y, topic, judged }) {
  const sums = new Map(topics.map((one) => [one.number, { one, squares: 0, count: 0 }]));
  for (let place = 0; place < judged; place++) {
    const sum = sums.get(topic[place]);
    if (!sum) continue;
    sum.squares += (x[place] - sum.one.x) ** 2 + (y[place] - sum.one.y) ** 2;
    sum.count++;
  }
  return new Map([...sums].map(([number, { squares, count }]) => [number, Math.sqrt((8 * squares) / Math.max(count, 1))]));
}

/** Return a rectangle around a point, moved into the window if it is a little beyond; null if there is no room for it. */
function spotAt(x, y, width, height, view, words) {
  if (width + 2 * AROUND > view.width) return null;
  const middle = Math.min(Math.max(x, width / 2 + AROUND), view.width - width / 2 - AROUND);
  if (y < height / 2 || y > view.height - height / 2) return null;
  return { left: middle - width / 2, right: middle + width / 2, top: y - height / 2, bottom: y + height / 2, words };
}

function isOver(one, other) {
  return (
    one.left < other.right + AROUND &&
    one.right > other.left - AROUND &&
    one.top < other.bottom &&
    one.bottom > other.top
  );
}

function labelButton(topic, size, go) {
  const words = topic.words
    .slice(0, WORDS[0])
    .map((word, number) => element("span", { class: `map-word-${number + 1}` }, number > 0 && ", ", wordList([word])));
  return element(
    "button",
    {
      type: "button",
      class: "map-label",
      tabindex: -1, // the list has them for the keyboard
      title: "Zoom to the documents of this topic",
      style: { "font-size": `${size.toFixed(3)}em` },
      click: () => go(topic),
    },
    topicMark(topic.number),
    element("b", {}, String(topic.number)),
    " ",
    words,
  );
}
