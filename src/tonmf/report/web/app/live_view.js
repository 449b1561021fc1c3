import { ask } from "./api.js";
import { element, ownDirection, wordList } from "../shared/dom.js";
import { counted, decimal, isolated, shortened, whole } from "../shared/format.js";

/** Documents that are listed; earlier ones leave the page. */
const MOST_LISTED = 200;

const LONGEST_LIVE_ID = 80;

/** The answers of a running watch as they come: the latest document first, and the topics that are new. */
export function liveView() {
  const heading = element("h2", { id: "live-heading", tabindex: -1, class: "unseen" }, "Live");
  const status = element("p", { class: "lead", role: "status" }, "Connecting…");
  const news = element("p", { class: "unseen", role: "status" });
  const topics = element("ol", { class: "new-topics" });
  const topicsPlace = element("div", { hidden: true }, element("h3", {}, "New topics"), topics);
  const body = element("tbody");
  const pause = element("button", { type: "button", "aria-pressed": "false", click: toggle }, "Pause");
  let [seen, flagged] = [0, 0];
  let isPaused = false;
  const held = [];

  const source = new EventSource("/v1/watch");
  source.addEventListener("open", () => tell());
  source.addEventListener("document", ({ data }) => take(() => addDocument(JSON.parse(data))));
  source.addEventListener("topic", ({ data }) => take(() => addTopic(JSON.parse(data))));
  source.addEventListener("error", () => {
    status.textContent = "The connection to the server is lost. The page tries again.";
    // A browser gives up on an answer that is no stream, such as that the token is needed.
    if (source.readyState === EventSource.CLOSED) ask("/v1/session").catch(({ message }) => (status.textContent = message));
  });

  function take(show) {
    if (!isPaused) {
      show();
      tell();
      return;
    }
    held.push(show);
    if (held.length > MOST_LISTED) held.shift();
    pause.textContent = `Go on (${whole(held.length)} new)`;
  }

  function toggle() {
    isPaused = !isPaused;
    pause.setAttribute("aria-pressed", String(isPaused));
    pause.textContent = isPaused ? "Go on" : "Pause";
    if (isPaused) return;
    for (const show of held.splice(0)) show();
    tell();
  }

  function tell() {
    status.textContent =
      seen === 0
        ? "Nothing has come yet. Documents are shown here as the watch answers them."
        : `${counted(seen, "document")} on this page so far, ${whole(flagged)} of them flagged.`;
  }

  function addDocument(document) {
    seen += 1;
    if (document.outlier) flagged += 1;
    body.prepend(liveRow(document));
    if (body.rows.length > MOST_LISTED) body.lastElementChild.remove();
  }

  function addTopic({ words, documents, since, size }) {
    topicsPlace.hidden = false;
    const such = documents.slice(0, 3).map(isolated).join(", ");
    const about = [size && counted(size, "document"), since && `since ${since}`, such && `such as ${such}`];
    topics.prepend(element("li", {}, element("b", {}, wordList(words)), ` ${about.filter(Boolean).join("; ")}`));
    news.textContent = `New topic: ${words.slice(0, 3).join(", ")}.`;
  }

  const headings = ["time", "score", "id", "unexpected words, and the text"];
  const table = element(
    "table",
    { class: "live" },
    element("caption", { class: "unseen" }, "Documents as they come, the latest first"),
    element("thead", {}, element("tr", {}, headings.map((text) => element("th", { scope: "col" }, text)))),
    body,
  );
  const view = element(
    "section",
    { id: "live", "aria-labelledby": "live-heading" },
    heading,
    element("div", { class: "live-head" }, status, pause),
    news,
    topicsPlace,
    table,
  );
  return { view, heading, stop: () => source.close() };
}

function liveRow({ id, score, outlier, judged, unexpected_terms: words, reason, time, text }) {
  return element(
    "tr",
    outlier ? { class: "is-flagged" } : {},
    element("td", { class: "time" }, (time ?? "").replace("T", " ")),
    element(
      "td",
      { class: "live-score" },
      judged ? decimal(score) : element("span", { class: "absent" }, "not judged"),
      outlier && element("span", { class: "flag" }, " flagged"),
    ),
    element("th", { scope: "row" }, ownDirection(shortened(id, LONGEST_LIVE_ID))),
    element(
      "td",
      { title: reason ?? "" },
      element("span", { class: "words-line", dir: "auto" }, wordList(words)),
      element("span", { class: "excerpt", dir: "auto" }, shortened((text ?? "").replace(/\s+/g, " ").trim(), 240)),
    ),
  );
}
