import { drawing, element, wordList } from "./dom.js";
import { percent } from "./format.js";
import { choiceLink } from "./links.js";

/**
 * Topics have five colours that people with any colour vision can tell apart, and five shapes: 25 marks. Numbers stand beside
 * them wherever there is room. Number 0 means no topic: a grey dot.
 */
export const COLOURS = 5;

export const SHAPES = [
  "M0 -1A1 1 0 1 1 0 1A1 1 0 1 1 0 -1Z",
  "M-.88 -.88H.88V.88H-.88Z",
  "M0 -1.1L1.05 .8H-1.05Z",
  "M0 -1.2L1.2 0L0 1.2L-1.2 0Z",
  "M-.4 -1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4Z",
];

/** The number that stands for all topics without a name of their own. */
const OTHER = -1;

/** Return the custom property that holds a topic's colour. */
export function topicColour(number) {
  if (number === OTHER) return "--topic-other";
  return number === 0 ? "--topic-none" : `--topic-${((number - 1) % COLOURS) + 1}`;
}

export function topicShape(number) {
  return number <= 0 ? 0 : Math.floor((number - 1) / COLOURS) % SHAPES.length;
}

/** Draw a topic's mark, in its colour and shape. */
export function topicMark(number) {
  const mark = drawing(SHAPES[topicShape(number)], "-1.25 -1.25 2.5 2.5", "topic-mark");
  mark.style.setProperty("color", `var(${topicColour(number)})`);
  return mark;
}

/** Return "2 garden, soil" after the topic's mark; "no topic" for 0. */
export function topicName(number, topics, n_words = 2) {
  const words = topics.find((topic) => topic.number === number && topic.words)?.words ?? [];
  return element(
    "span",
    { class: "topic-name" },
    topicMark(number),
    number === 0 ? "no topic" : [element("b", {}, String(number)), " ", wordList(words.slice(0, n_words))],
  );
}

/** The same, as a link to the topic's documents where the page has such links. */
export function topicLink(number, topics, links, n_words = 2) {
  return choiceLink(links, { topic: number }, { class: "topic-link" }, topicName(number, topics, n_words));
}

/** Show shares of topics as one bar with a legend: those listed, the small rest, and what no topic explains. */
export function topicsBar(listed, unexplained, topics, links = null) {
  const rest = Math.max(0, 1 - listed.reduce((sum, { share }) => sum + share, 0));
  const none = Math.min(unexplained ?? rest, rest);
  const shares = [
    ...listed.map((topic) => ({ ...topic, name: topicLink(topic.number, [topic, ...topics], links, 4) })),
    {
      share: rest - none,
      number: OTHER,
      name: element("span", { class: "topic-name" }, topicMark(OTHER), "topics with small shares"),
    },
    { share: none, number: 0, name: topicName(0, topics) },
  ].filter(({ share }) => share > 0.0005);
  return element(
    "div",
    { class: "topics-bar" },
    element("div", { class: "segments", "aria-hidden": "true" }, shares.map(segment)),
    element(
      "ul",
      { class: "legend" },
      shares.map(({ share, name }) =>
        element("li", {}, name, " ", element("span", { class: "quantity" }, percent(share))),
      ),
    ),
  );
}

function segment({ number, share }) {
  const colour = topicColour(number);
  const style = { "flex-grow": String(share), "background-color": `var(${colour})` };
  if (number <= 0 || share <= 0.06) return element("span", { class: "segment", style });
  return element("span", { class: "segment", style: { ...style, color: `var(${colour}-ink)` } }, String(number));
}
