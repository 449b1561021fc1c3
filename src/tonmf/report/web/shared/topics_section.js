import { element, ownDirection, tableOf, wordList } from "./dom.js";
import { percent, shortened, whole } from "./format.js";
import { topicMark } from "./topic_marks.js";

/** The topics, largest first; each lists its documents. */
export function topicsSection(topics, choose) {
  return element(
    "section",
    { id: "topics", "aria-labelledby": "topics-heading" },
    element("h2", { id: "topics-heading" }, "Topics"),
    topicsTable(topics, choose),
  );
}

/** Show topics as a table, with the number of documents of each if `choose` can list them. */
export function topicsTable(topics, choose = null) {
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
      choose && element("td", { class: "number topic-documents" }, documentsOf(topic, choose)),
      element("td", { class: "topic-words", dir: "auto" }, wordList(topic.words)),
      element("td", { class: "topic-typical" }, (topic.typical ?? []).slice(0, 2).map(typicalLine)),
    ),
  );
  const caption = "A topic’s share is its part of the content of all documents";
  const names = ["topic", "share", choose && "documents", "words", "typical documents"].filter(Boolean);
  return tableOf(
    "topics",
    choose ? `${caption}; its documents are those that it explains more of than any other topic.` : `${caption}.`,
    names,
    rows,
  );
}

function documentsOf({ number, documents }, choose) {
  const title = "List the documents of this topic";
  const list = () => choose({ topic: number });
  return element("button", { type: "button", class: "link", title, click: list }, whole(documents));
}

function typicalLine({ id, excerpt }) {
  return element(
    "span",
    { class: "excerpt" },
    ownDirection(shortened(String(id), 40), "b"),
    " ",
    ownDirection(shortened(excerpt ?? "", 160)),
  );
}
