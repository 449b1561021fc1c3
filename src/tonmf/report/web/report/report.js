import { aboutSection } from "./about_section.js";
import { compareSection } from "./compare_section.js";
import { curvesSection } from "./curves_section.js";
import { Documents, columnsOf, readPart, readSummary } from "../shared/data.js";
import { element } from "../shared/dom.js";
import { groupsSection } from "./groups_section.js";
import { footer, header } from "./header.js";
import { LIST_STATE, rankedList } from "../shared/list.js";
import { stateLink } from "../shared/links.js";
import { MAP_STATE, mapSection } from "./map_section.js";
import { drawAbove } from "../shared/near.js";
import { PageAddress } from "./page_address.js";
import { pageLinks } from "./page_links.js";
import { pageMarks } from "./page_marks.js";
import { PANEL_STATE, documentPanel } from "./panel.js";
import { rerank } from "../shared/rerank.js";
import { scoreSection } from "../shared/score_section.js";
import { Scores } from "../shared/scores.js";
import { State } from "../shared/state.js";
import { strangestSection } from "./strangest_section.js";
import { topicsSection } from "../shared/topics_section.js";

/** Build the report from the data in the page. */
async function report() {
  const summary = readSummary();
  const { analysed, topics, groups, curves, title } = summary;
  const documents = new Documents(analysed.listed ?? analysed.documents, summary.part_size);
  documents.part(0); // unpack it while the index is read
  const columns = columnsOf(await readPart("index"));
  const { threshold, flagged, contamination, word } = analysed;
  const found = { threshold, flagged, contamination, documents: columns.length };
  const scores = new Scores(columns.score.slice(0, columns.judged), found);

  const address = new PageAddress({ columns, topics, groups, found });
  const { section, state: wanted } = address.read();
  const state = new State({ ...LIST_STATE, ...MAP_STATE, ...PANEL_STATE, flagged, ...wanted, opened: null });
  state.flagged = scores.above(state.threshold);
  // First of all followers, because the others read the number of flagged documents.
  state.on(["threshold", "ranked"], () => (state.flagged = scores.above(state.threshold)));

  const follow = (values, moved) => rerank({ columns, scores, found }, state, values, moved);
  const marker = summary.marking ? pageMarks(await readPart("marking"), columns, analysed, follow) : null;
  // Everything that opens a document from elsewhere in the page opens it by this function.
  const open = (place) => address.asOneStep("", () => list.reveal(place));
  const choose = (criteria) => list.choose(criteria);
  const links = pageLinks({ columns, isOfTraining: analysed.training.same }, address, { open, choose });
  const source = { columns, documents, scores, topics, groups, title, word, found, marker, links, open };
  const strangest = strangestSection(source, state);
  const list = rankedList(source, state);
  const beside = (place, event) => address.asOneStep("", () => panel.open(place, event));
  const linksBeside = pageLinks({ columns, isOfTraining: analysed.training.same }, address, { open: beside, choose });
  const panel = documentPanel({ ...source, links: linksBeside }, state, open, list.toggleMark);
  const go = { choose: (criteria) => address.asOneStep("documents", () => choose(criteria)), open: beside };
  const sections = [
    ["Map", mapSection(source, summary.map === "meaning", state, go)],
    ["Scores", scoreSection(columns, scores, state, found, beside)],
    ["Documents", list.view],
    ["Topics", topicsSection(topics, links)],
    ["Groups", groupsSection(summary, columns, links)],
    summary.comparison && ["Compared", compareSection(summary.comparison, links)],
    curves && ["Labels", curvesSection(curves, columns, state)],
    ["About", aboutSection(summary, state, found)],
  ].filter(Boolean);
  const linkTo = (id, properties, ...content) => links.toSection(id, () => goTo(id), properties, ...content);
  address.follow(state, arrive);
  document.getElementById("report").append(
    // Its address is that of the section alone, by which screen readers know it.
    stateLink(
      () => "#documents",
      () => address.asOneStep("documents", () => goTo("documents")),
      { class: "skip" },
      "Skip to the documents",
    ),
    header(
      summary,
      state,
      sections.map(([name, { id }]) => linkTo(id, {}, name)),
      (text) => linkTo("about", {}, text),
    ),
    element("main", {}, strangest.view, ...sections.map(([, view]) => view)),
    footer(summary),
    panel.view,
  );
  await Promise.all([strangest.ready, list.ready]);
  marker?.restore();
  if (wanted.opened !== null || section !== "") await arrive(section, wanted.opened);
  document.documentElement.dataset.ready = Math.round(performance.now());

  /** Open what an address names, and show it. */
  async function arrive(to, opened, isReturn = false) {
    if (state.opened !== null && state.opened !== opened) list.close(state.opened);
    if (opened !== null) await list.reveal(opened, !isReturn);
    else if (to !== "" && !isReturn) await goTo(to);
  }
}

/** Show a section, and let the keyboard go on from there. */
async function goTo(id) {
  const target = document.getElementById(id);
  if (target?.tagName !== "SECTION") return;
  const heading = target.querySelector("h2");
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  drawAbove(target);
  await new Promise((done) => setTimeout(done)); // charts take their height once this task is over
  target.scrollIntoView();
}

report().catch((error) => {
  const what = "This report could not be shown. It needs a browser from 2024 or later.";
  document.getElementById("report").append(element("p", { role: "alert" }, `${what} (${error.message})`));
  throw error;
});
