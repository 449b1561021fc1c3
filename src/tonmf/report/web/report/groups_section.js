import { element, named, tableOf, wordList } from "../shared/dom.js";
import { counted, percent, shortened, usable, whole } from "../shared/format.js";

/** What a ranking hides or mixes: small groups of rare documents, and documents with an alarm. */
export function groupsSection({ analysed, groups }, columns, links) {
  const { word } = analysed;
  return element(
    "section",
    { id: "groups", "aria-labelledby": "groups-heading" },
    element("h2", { id: "groups-heading" }, "Small groups and special documents"),
    groups.length > 0
      ? groupsTable(groups, columns, links)
      : element("p", { class: "absent" }, "There are no small groups of similar documents."),
    element(
      "ul",
      { class: "special" },
      special(columns, "unknown", `with far more ${word}s outside the vocabulary than usual`, links),
      special(columns, "empty", `without ${usable(word)}`, links, ", and so not judged"),
      special(columns, "repeated", `repeating the same few ${word}s`, links),
      special(columns, "rare", `made of rare ${word}s`, links),
    ),
  );
}

function groupsTable(groups, columns, links) {
  const rows = groups.map(({ words, size, share, documents, copies }, group) =>
    element(
      "tr",
      {},
      element(
        "th",
        { scope: "row", dir: "auto" },
        links.toDocuments({ group }, { dir: "auto" }, wordList(words)),
        copies && element("span", { class: "copies", dir: "ltr" }, "copies of one document"),
      ),
      element("td", { class: "number" }, whole(size)),
      element("td", { class: "number" }, percent(share)),
      element(
        "td",
        { class: "excerpt" },
        documents.slice(0, 3).flatMap((rank, number) => [
          number > 0 && ", ",
          links.toDocument(rank - 1, {}, named(shortened(columns.id[rank - 1], 40))),
        ]),
      ),
    ),
  );
  return tableOf(
    "groups",
    "Rare documents that resemble one another, the groups that stand out most first. They explain one another, so they may " +
      "have ordinary scores.",
    ["words in common", "documents", "share", "such as"],
    rows,
  );
}

function special(columns, alarm, what, links, more = "") {
  const count = columns.alarm.reduce((sum, of) => sum + (of === alarm ? 1 : 0), 0);
  const always = alarm === "unknown" || alarm === "empty";
  if (count === 0) return always && element("li", {}, `No documents ${what}.`);
  return element(
    "li",
    {},
    links.toDocuments({ alarm }, {}, counted(count, "document")),
    ` ${what}${more}.`,
  );
}
