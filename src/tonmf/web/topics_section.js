import { element } from "./dom.js";
import { percent, shortened, whole } from "./format.js";
import { topicMark } from "./topic_marks.js";

/** What is ordinary: the topics, largest first, each a way to its documents. */
export function topicsSection(topics, choose) {
  return element(
    "section",
    { id: "topics", "aria-labelledby": "topics-heading" },
    element("h2", { id: "topics-heading" }, "Topics"),
    topics.length > 0
      ? topicsTable(topics, choose)
      : element("p", { class: "absent" }, "No topics were found: no words are shared by enough documents."),
  );
}

function topicsTable(topics, choose) {
  const largest = Math.max(...topics.map(({ share }) => share), 1e-9);
  const rows = topics.map(({ number, share, words, documents, typical }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row", class: "topic-number" }, topicMark(number), element("b", {}, String(number))),
      element(
        "td",
        { class: "topic-share" },
        element("span", { class: "number" }, percent(share)),
        element("span", { class: "bar", style: { "--part": (share / largest).toFixed(3) } }),
      ),
      element(
        "td",
        { class: "number topic-documents" },
        element(
          "button",
          {
            type: "button",
            class: "link",
            title: "List the documents of this topic",
            click: () => choose({ topic: number }),
          },
          whole(documents),
        ),
      ),
      element("td", { class: "topic-words", dir: "auto" }, words.join(", ")),
      element("td", { class: "topic-typical" }, (typical ?? []).slice(0, 2).map(typicalLine)),
    ),
  );
  const names = ["topic", "share", "documents", "words", "typical documents"];
  return element(
    "table",
    { class: "topics" },
    element(
      "caption",
      {},
      "A topic’s share is of all that the documents say; its documents are those that lean on it most.",
    ),
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        names.map((name) => element("th", { scope: "col" }, name)),
      ),
    ),
    element("tbody", {}, rows),
  );
}

function typicalLine({ id, excerpt }) {
  return element(
    "span",
    { class: "excerpt", dir: "auto" },
    element("b", {}, shortened(String(id), 40)),
    ` ${shortened(excerpt ?? "", 160)}`,
  );
}
