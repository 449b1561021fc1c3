import { element, named, ownDirection, tableOf, wordList } from "../shared/dom.js";
import { counted, decimal, percent, shortened, whole } from "../shared/format.js";

const SHOWN_FIRST = 10;
const LONGEST_CHANGED_ID = 80;

/** What changed since an earlier run: documents that are newly strange or no longer are, topics that came and went. */
export function compareSection({ old, documents, strange, topics, ...listed }, links) {
  const newly = listed.newly_strange.map((changed) => newlyRow(changed, links));
  const noLonger = listed.no_longer_strange.map((changed) => noLongerRow(changed, links));
  return element(
    "section",
    { id: "compared", "aria-labelledby": "compared-heading" },
    element("h2", { id: "compared-heading" }, "Compared with an earlier run"),
    element("p", {}, "With ", ownDirection(old.title, "b"), `${madeOn(old)}: ${inBoth(documents)}`),
    element("p", {}, `${counted(strange.still, "document")} ${strange.still === 1 ? "is" : "are"} flagged in both.`),
    element("h3", {}, `Newly strange: ${whole(strange.newly)}`),
    changes(newly, strange.newly, "Documents that are flagged here and were not there", ["document", "score", "before", "why"]),
    element("h3", {}, `No longer strange: ${whole(strange.no_longer)}`),
    changes(noLonger, strange.no_longer, "Documents that were flagged there and are not here", [
      "document",
      "score before",
      "now",
      "why it was",
    ]),
    topicChanges(topics),
  );
}

function madeOn({ when, flagged, documents }) {
  const day = when ? `, of ${String(when).slice(0, 10)}` : "";
  return `${day} (${whole(flagged)} of ${counted(documents, "document")} flagged)`;
}

function inBoth({ in_both, only_new, only_old, by_content }) {
  const how = by_content ? "" : " Documents are the same if their ids are.";
  return `${counted(in_both, "document")} in both, ${whole(only_new)} only here, ${whole(only_old)} only there.${how}`;
}

/** A table of changes, of which the first are shown until all are asked for. */
function changes(rows, count, caption, names) {
  if (rows.length === 0) return element("p", { class: "absent" }, "None.");
  const table = tableOf("compared", caption, names, rows.slice(0, SHOWN_FIRST));
  const more = element(
    "button",
    { type: "button", class: "link", click: showAll },
    `Show all ${whole(rows.length)}${count > rows.length ? ` of ${whole(count)} that this page has` : ""}`,
  );
  function showAll() {
    table.tBodies[0].append(...rows.slice(SHOWN_FIRST));
    rows[SHOWN_FIRST].querySelector("th").focus();
    more.remove();
  }
  return [table, rows.length > SHOWN_FIRST && more];
}

function newlyRow({ id, place, score, was, old_rank, old_score, sentence }, links) {
  const before = old_rank === null ? was : `${was}: rank ${whole(old_rank)}, score ${decimal(old_score)}`;
  return changedRow(id, place, decimal(score), before, sentence, links);
}

function noLongerRow({ id, place, rank, score, is, old_score, sentence }, links) {
  const now = place === null ? is : `${is}: rank ${whole(rank)}, score ${decimal(score)}`;
  return changedRow(id, place, decimal(old_score), now, sentence, links);
}

function changedRow(id, place, score, other, sentence, links) {
  const name = named(shortened(id, LONGEST_CHANGED_ID));
  return element(
    "tr",
    {},
    element(
      "th",
      { scope: "row", tabindex: place === null ? -1 : false },
      place === null ? name : links.toDocument(place - 1, { title: "Open this document" }, name),
    ),
    element("td", { class: "number" }, score),
    element("td", {}, other),
    element("td", { class: "excerpt", dir: "auto" }, sentence ?? ""),
  );
}

function topicChanges({ kept, came, went, same_from }) {
  const rule =
    `Two topics are the same if the cosine of their words is at least ${decimal(same_from)}: ` +
    `${counted(kept.length, "topic")} stayed.`;
  return [
    element("h3", {}, `Topics that came: ${whole(came.length)}; that went: ${whole(went.length)}`),
    element("p", { class: "note" }, rule),
    came.length + went.length > 0 &&
      tableOf(
        "compared",
        "Topics that only one of the two runs has",
        ["topic", "share", "nearest of the other run"],
        [...came.map((topic) => topicRow("came", topic, topic.old)), ...went.map((topic) => topicRow("went", topic, topic.new))],
      ),
  ];
}

function topicRow(change, { words, share, cosine }, nearest) {
  return element(
    "tr",
    {},
    element("th", { scope: "row", dir: "auto" }, element("span", { class: `change ${change}` }, change), " ", wordList(words.slice(0, 6))),
    element("td", { class: "number" }, percent(share)),
    element("td", {}, nearest ? [wordList(nearest.words.slice(0, 4)), ` (cosine ${decimal(cosine)})`] : "none has a word of it"),
  );
}
