import { element, wordList } from "../shared/dom.js";
import { topicMark } from "../shared/topic_marks.js";

const LINE = 20;
const GAP = 14;

/**
 * Place the names of topics left or right of the disc, each near its topic's position on the rim, without overlaps.
 *
 * @returns {{topic: object, x: number, y: number, rim: {x: number, y: number}, isLeft: boolean}[]} in pixels.
 */
export function placeLabels(topics, { centre, radius, height }) {
  const labels = topics.map((topic) => ({
    topic,
    isLeft: topic.x < -1e-6,
    rim: { x: centre.x + radius * topic.x, y: centre.y - radius * topic.y },
    y: centre.y - (radius + GAP) * topic.y,
  }));
  for (const isLeft of [true, false]) {
    const side = labels.filter((label) => label.isLeft === isLeft).sort((one, other) => one.y - other.y);
    moveApart(side, height);
  }
  for (const label of labels) {
    const rise = Math.min(Math.abs(label.y - centre.y), radius);
    const reach = Math.sqrt(radius ** 2 - rise ** 2) + GAP;
    // No further in than the rim, or the line to it would cross the words.
    label.x = label.isLeft ? Math.min(centre.x - reach, label.rim.x - 4) : Math.max(centre.x + reach, label.rim.x + 4);
  }
  return labels;
}

/** Give each name a line of its own, first from the top down, then back up, so that all stay inside. */
function moveApart(side, height) {
  let lowest = LINE / 2;
  for (const label of side) {
    label.y = Math.max(label.y, lowest);
    lowest = label.y + LINE;
  }
  let highest = height - LINE / 2;
  for (const label of side.toReversed()) {
    label.y = Math.min(label.y, highest);
    highest = label.y - LINE;
  }
}

/** Return the names as buttons that list a topic's documents. */
export function labelButtons(labels, { width, height }, choose) {
  return labels.map(({ topic, x, y, isLeft }) => {
    const words = element("span", { class: "map-words" }, " ", wordList(topic.words.slice(0, 3)));
    const edge = isLeft ? { right: `${100 * (1 - x / width)}%` } : { left: `${(100 * x) / width}%` };
    // Percentages, so that names stay in place when the map is printed smaller.
    return element(
      "button",
      {
        type: "button",
        class: "map-label",
        title: "List the documents of this topic",
        style: {
          top: `${(100 * y) / height}%`,
          ...edge,
          "max-width": `${100 * (isLeft ? x / width : 1 - x / width)}%`,
        },
        click: () => choose({ topic: topic.number }),
      },
      topicMark(topic.number),
      element("b", {}, String(topic.number)),
      words,
    );
  });
}
