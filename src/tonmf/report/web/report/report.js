import { curvesSection } from "./curves_section.js";
import { Documents, columnsOf, readPart, readSummary } from "../shared/data.js";
import { element } from "../shared/dom.js";
import { groupsSection } from "./groups_section.js";
import { footer, header } from "./header.js";
import { LIST_STATE, rankedList } from "../shared/list.js";
import { MAP_STATE, mapSection } from "./map_section.js";
import { pageMarks } from "./page_marks.js";
import { PANEL_STATE, documentPanel } from "./panel.js";
import { rerank } from "../shared/rerank.js";
import { scoreSection } from "../shared/score_section.js";
import { Scores } from "../shared/scores.js";
import { State } from "../shared/state.js";
import { topicsSection } from "../shared/topics_section.js";

/** Build the report from the data in the page. */
async function report() {
  const summary = readSummary();
  const { analysed, topics, groups, curves, title } = summary;
  const documents = new Documents(analysed.documents, summary.part_size);
  documents.part(0); // unpack it while the index is read
  const columns = columnsOf(await readPart("index"));
  const { threshold, flagged, contamination, word } = analysed;
  const found = { threshold, flagged, contamination, documents: columns.length };
  const scores = new Scores(columns.score.slice(0, columns.judged), found);
  const state = new State({ ...LIST_STATE, ...MAP_STATE, ...PANEL_STATE, threshold, flagged });
  // First of all followers, because the others read the number of flagged documents.
  state.on(["threshold", "ranked"], () => (state.flagged = scores.above(state.threshold)));

  const follow = (values, moved) => rerank({ columns, scores, found }, state, values, moved);
  const marker = summary.marking ? pageMarks(await readPart("marking"), columns, analysed, follow) : null;
  const source = { columns, documents, scores, topics, groups, title, word, flagged, found, marker };
  const list = rankedList(source, state);
  const panel = documentPanel(source, state, list.reveal);
  const byMeaning = summary.map === "meaning";
  const sections = [
    ["Scores", scoreSection(columns, scores, state, found, panel.open)],
    ["Map", mapSection(source, byMeaning, state, { open: panel.open, choose: list.choose })],
    ["Documents", list.view],
    ["Topics", topicsSection(topics, list.choose)],
    ["Groups", groupsSection(summary, columns, list.choose)],
    curves && ["Labels", curvesSection(curves, columns, state)],
  ].filter(Boolean);
  document.getElementById("report").append(
    element("a", { class: "skip", href: "#documents" }, "Skip to the documents"),
    header(
      summary,
      state,
      found,
      sections.map(([name, section]) => [section.id, name]),
    ),
    element(
      "main",
      {},
      sections.map(([, section]) => section),
    ),
    footer(summary),
    panel.view,
  );
  await list.ready;
  marker?.restore();
  document.documentElement.dataset.ready = Math.round(performance.now());
}

report().catch((error) => {
  const what = "This report could not be shown. It needs a browser from 2024 or later.";
  document.getElementById("report").append(element("p", { role: "alert" }, `${what} (${error.message})`));
  throw error;
});
