import { element, ownDirection, tableOf, wordList } from "./dom.js";
import { percent, shortened, whole } from "./format.js";
import { choiceLink, documentName } from "./links.js";
import { topicMark } from "./topic_marks.js";

/** The topics, largest first; each leads to its documents. */
export function topicsSection(topics, links) {
  return element(
    "section",
    { id: "topics", "aria-labelledby": "topics-heading" },
    element("h2", { id: "topics-heading" }, "Topics"),
    topicsTable(topics, links),
  );
}

/** Show topics as a table, with the number of documents of each if there are links to them. */
export function topicsTable(topics, links = null) {
  if (topics.length === 0) {
    return element("p", { class: "absent" }, "No topics were found: no words are shared by enough documents.");
  }
  const largest = Math.max(...topics.map(({ share }) => share), 1e-9);
  const rows = topics.map((topic) =>
    element(
      "tr",
      {},
      element(
        "th",
        { scope: "row", class: "topic-number" },
        topicMark(topic.number),
        element("b", {}, String(topic.number)),
      ),
      element(
        "td",
        { class: "topic-share" },
        element("span", { class: "number" }, percent(topic.share)),
        element("span", { class: "bar", style: { "--part": (topic.share / largest).toFixed(3) } }),
      ),
      links && element("td", { class: "number topic-documents" }, whole(topic.documents)),
      element(
        "td",
        { class: "topic-words", dir: "auto" },
        choiceLink(links, { topic: topic.number }, { dir: "auto" }, wordList(topic.words)),
      ),
      element(
        "td",
        { class: "topic-typical" },
        (topic.typical ?? []).slice(0, 2).map((typical) => typicalLine(typical, links)),
      ),
    ),
  );
  const caption = "A topic’s share is its part of the content of all documents";
  const names = ["topic", "share", links && "documents", "words", "typical documents"].filter(Boolean);
  return tableOf(
    "topics",
    links ? `${caption}; its documents are those that it explains more of than any other topic.` : `${caption}.`,
    names,
    rows,
  );
}

function typicalLine({ id, excerpt }, links) {
  return element(
    "span",
    { class: "excerpt" },
    documentName(String(id), 40, links),
    " ",
    ownDirection(shortened(excerpt ?? "", 160)),
  );
}
