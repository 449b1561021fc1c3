import { element, hidden, named } from "../shared/dom.js";
import { counted, decimal, shortened, whole } from "../shared/format.js";
import { inShort } from "../shared/list_entry.js";
import { scoreBar } from "../shared/score_bar.js";

/** How many documents to show: as many as are flagged, within these. */
const [FEWEST, MOST] = [3, 5];

const LONG_SNIPPET = 320;

/** The answer first: the strangest documents, each with its text, the unexpected words shaded, and the reason. */
export function strangestSection(source, state) {
  const { columns, links } = source;
  const heading = element("h2", { id: "strangest-heading" });
  const list = element("ol", { class: "strangest" });
  const more = element("p", { class: "strangest-more" });
  let number = 0;
  async function follow() {
    const asked = ++number;
    const places = strangestOf(columns, state.flagged);
    const shown = await Promise.all(places.map((place) => source.documents.at(place)));
    if (asked !== number) return;
    heading.textContent = headingOf(places.length, state.flagged);
    list.replaceChildren(...places.map((place, at) => strangeDocument(place, shown[at], source, state)));
    list.hidden = places.length === 0;
    const isMore = state.flagged > places.length;
    more.replaceChildren(
      isMore ? links.toDocuments({ show: "flagged" }, {}, `All ${counted(state.flagged, "flagged document")}`) : "",
    );
    more.hidden = !isMore;
  }
  const view = element("section", { id: "strangest", "aria-labelledby": "strangest-heading" }, heading, list, more);
  state.on(["threshold", "ranked"], follow);
  return { view, ready: follow() };
}

function headingOf(shown, flagged) {
  if (shown === 0) return "No document is judged";
  return flagged > 0 ? "The strangest" : "The strangest, though none is flagged";
}

/** Return the places of the strangest documents; of exact copies, the first. */
function strangestOf({ order, first, judged, standing }, flagged) {
  const [seen, places] = [new Set(), []];
  for (const place of order.subarray(0, judged)) {
    if (places.length === MOST || (places.length >= FEWEST && standing[place] >= flagged)) break;
    if (seen.has(first[place])) continue;
    seen.add(first[place]);
    places.push(place);
  }
  return places;
}

function strangeDocument(place, shown, source, state) {
  const { columns, links, open } = source;
  const copies = shown.copies > 1 && element("span", {}, ` ×${whole(shown.copies)}`, hidden(" copies"));
  const isFlagged = columns.standing[place] < state.flagged;
  const bar = scoreBar(place, source, state);
  bar.refresh();
  return element(
    "li",
    {
      class: isFlagged ? "strangest-one is-flagged" : "strangest-one",
      click: (event) => !event.target.closest("a") && String(getSelection()) === "" && open(place),
    },
    element("p", { class: "strangest-score" }, hidden("Score "), element("b", {}, decimal(columns.score[place])), bar.view),
    element("div", { class: "strangest-text" }, inShort(shown, LONG_SNIPPET)),
    element(
      "p",
      { class: "strangest-id" },
      links.toDocument(place, {}, named(shortened(columns.id[place], 80))),
      copies,
      !isFlagged && ", not flagged",
    ),
  );
}
