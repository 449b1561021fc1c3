import { textOf } from "./data.js";
import { element, wordList } from "./dom.js";
import { counted, decimal, finePercent, percent, shortened, signed, whole } from "./format.js";
import { documentName } from "./links.js";
import { shaded } from "./shading.js";
import { topicsBar } from "./topic_marks.js";
import { partsOfSentence } from "./verdict.js";
import { withoutReasons } from "./without_reasons.js";

const LONGEST_WORD = 80;
const LONG_RUN = /\S{101}/;

/** Characters of a text to show at most: browsers are slow to lay out endless words. */
const LONGEST_TEXT = 100_000;

/**
 * Show a document and the reasons for its score: a sentence, the text with unexpected words shaded, its words and topics.
 *
 * @param {object} shown an explanation with `pieces`; whatever is missing from it is left out.
 * @param {{number: number, words: string[]}[]} topics all topics, for their words.
 * @param {string} word the name of a document's units: "word", "item" or "term".
 * @param {object} links to documents and topics, where the page has them (`report/page_links.js`).
 */
export function documentView(shown, topics, word, links = null) {
  const [verdict, reason] = partsOfSentence(shown);
  return element(
    "article",
    { class: "document" },
    shown.sentence &&
      element(
        "p",
        { class: "reason" },
        verdict && [element("span", { class: "verdict-part" }, verdict), " "],
        reason && element("span", { class: "reason-part" }, reason),
      ),
    shown.sentence === null && withoutReasons(shown),
    element("div", { class: "document-columns" }, textBlock(shown, word), factsBlock(shown, topics, word, links)),
  );
}

/** Turn the pieces of a text into nodes, with unexpected words shaded by their share. */
export function markedText(pieces, kind = "unexpected") {
  const largest = pieces.reduce((most, piece) => (typeof piece === "string" ? most : Math.max(most, piece[1])), 1e-9);
  return pieces.map((piece) => {
    if (typeof piece === "string") return breakable(piece);
    const [text, share] = piece;
    return element(
      "mark",
      {
        class: kind,
        "data-share": share,
        title: `${percent(share)} of the document`,
        style: { "--part": (share / largest).toFixed(3) },
      },
      breakable(text),
    );
  });
}

/** Add break points to words that are too long for a line; browsers take minutes to find their own when printing. */
function breakable(text) {
  if (!LONG_RUN.test(text)) return text;
  return text.split(/(\S{100})/).flatMap((part) => (/^\S{100}$/.test(part) ? [part, element("wbr")] : [part]));
}

function textBlock(shown, word) {
  const missing = (shown.missing ?? []).map((name) => shortened(name, LONGEST_WORD));
  const length = shown.cut ?? textOf(shown).length;
  const isCut = shown.cut || length > LONGEST_TEXT;
  const note = isCut && `Only part of the text is shown. In full it has ${counted(length, "character")}.`;
  return element(
    "div",
    { class: "document-text" },
    wholeText(shown),
    note && element("p", { class: "note" }, note),
    wordsTable(shown.unexpected ?? [], word),
    missing.length > 0 && [
      element("h3", {}, `Missing ${word}s`),
      element("p", { class: "missing" }, "Expected from its topics, but absent: ", wordList(missing), "."),
    ],
  );
}

function wholeText({ id, pieces, unexpected }) {
  if (!pieces) return element("p", { class: "absent" }, "This document came as counts: there is no text to show.");
  if (!textOf({ pieces }).trim()) return element("p", { class: "absent" }, "This document is empty.");
  // Long texts scroll, and the keyboard can only scroll what can have the focus.
  const label = `Text of ${shortened(String(id), LONGEST_WORD)}`;
  return element(
    "div",
    { class: "text", dir: "auto", tabindex: 0, role: "group", "aria-label": label },
    markedText(shaded(beginningOf(pieces), unexpected ?? [])),
  );
}

function beginningOf(pieces) {
  let room = LONGEST_TEXT;
  const kept = [];
  for (const piece of pieces) {
    if (room <= 0) break;
    const text = typeof piece === "string" ? piece : piece[0];
    const shown = shortened(text, room);
    kept.push(typeof piece === "string" ? shown : [shown, piece[1]]);
    room -= text.length;
  }
  return kept;
}

function wordsTable(words, word) {
  if (words.length === 0) return null;
  const largest = Math.max(...words.map(({ share }) => share), 1e-9);
  const rows = words.map(({ word: name, share, count, known }) =>
    element(
      "tr",
      {},
      element(
        "th",
        { scope: "row" },
        element("bdi", {}, shortened(name, LONGEST_WORD)),
        !known && element("span", { class: "unknown", title: "outside the vocabulary" }, " unknown"),
      ),
      element("td", { class: "number" }, finePercent(share)),
      element(
        "td",
        { class: "bar-cell" },
        element("span", { class: "bar", style: { "--part": (share / largest).toFixed(3) } }),
      ),
      element("td", { class: "number" }, whole(count)),
    ),
  );
  return element(
    "table",
    { class: "words" },
    element("caption", {}, `Unexpected ${word}s, and their share of the document`),
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        element("th", { scope: "col" }, word),
        element("th", { scope: "col", colspan: 2 }, "share"),
        element("th", { scope: "col" }, "times"),
      ),
    ),
    element("tbody", {}, rows),
  );
}

function factsBlock(shown, topics, word, links) {
  return element(
    "div",
    { class: "document-facts" },
    shown.topics && shown.main_alarm !== "empty" && [
      element("h3", {}, "Topics that explain it"),
      topicsBar(shown.topics, shown.unexplained?.value, topics, links),
    ],
    factsList(shown, word),
    shown.nearest?.length > 0 && [element("h3", {}, "Nearest ordinary documents"), nearestList(shown.nearest, links)],
    shown.nearest_by_meaning?.length > 0 && [
      element("h3", {}, "Nearest in meaning"),
      nearestList(shown.nearest_by_meaning, links),
    ],
  );
}

function factsList(shown, word) {
  const isJudged = shown.main_alarm !== "empty";
  const alarms = isJudged ? Object.entries(shown.alarms ?? {}) : [];
  const facts = [
    isJudged ? shown.parts && ["Score", `${decimal(shown.score)} = ${partsOf(shown.parts)}`] : ["Score", "not judged"],
    isJudged && shown.unexplained && ["Unexplained", compared(shown.unexplained, percent)],
    shown.length && ["Length", compared(shown.length, (number) => counted(number, word), whole)],
    isJudged && shown.unknown && [`Unknown ${word}s`, compared(shown.unknown, percent)],
    ...alarms.map(([name, excess]) => [`Alarm: ${name} ${word}s`, `${percent(excess)} more than an alarm takes`]),
    shown.label !== undefined && shown.label !== null && ["Label", shown.label ? "outlier" : "ordinary"],
  ].filter(Boolean);
  if (facts.length === 0) return null;
  return [
    element("h3", {}, "Measures"),
    element(
      "dl",
      { class: "facts" },
      facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))),
    ),
  ];
}

/** How parts of a score are shown whose names do not say what they are; a test compares them with `PARTS` in Python. */
const PARTS = {
  neighbours: "distance from ordinary documents",
  meaning: "distance in meaning",
  company: "likeness to strange ones",
};

function partsOf(parts) {
  return Object.entries(parts)
    .map(([name, value]) => `${PARTS[name] ?? name} ${signed(value)}`)
    .join(", ");
}

function compared({ value, typical, percentile }, form, formTypical = form) {
  const place =
    percentile === undefined || percentile === null ? "" : `; ${percent(percentile / 100)} of documents have less`;
  return `${form(value)} (typical: ${formTypical(typical)}${place})`;
}

function nearestList(nearest, links) {
  const items = nearest.map((near) => {
    const { id, excerpt } = near.document ?? near;
    return element(
      "li",
      {},
      element("span", { class: "quantity", title: "cosine" }, decimal(near.cosine)),
      " ",
      documentName(String(id), LONGEST_WORD, links),
      " ",
      element("span", { class: "excerpt", dir: "auto" }, excerpt ?? ""),
    );
  });
  return element("ol", { class: "nearest" }, items);
}
