import { element, ownDirection } from "../shared/dom.js";
import { scored } from "./explaining.js";
import { counted, decimal, shortened, whole } from "../shared/format.js";
import { problemLine } from "./notices.js";

/** Documents to list that one model alone flags. */
const MOST_COMPARED = 50;

/**
 * Compare the scores of documents with those by another model of the server.
 *
 * @param {object[]} sent the documents, in input order.
 * @param {object[]} answers the scores of the chosen model.
 * @param {{name: string, kind: string, models: object[], limits: object}} model the chosen one, and all.
 */
export function comparison(sent, answers, { name, kind, models, limits }) {
  const others = models.filter((one) => one.name !== name && one.kind === kind);
  if (others.length === 0) return null;
  const problem = problemLine();
  const place = element("div", { role: "status" });
  const field = element(
    "select",
    { change: compare },
    element("option", {}, "none"),
    others.map((other) => element("option", {}, other.name)),
  );
  let asked = 0;

  async function compare() {
    const number = ++asked;
    problem.say();
    place.replaceChildren();
    if (field.selectedIndex === 0) return;
    const other = others[field.selectedIndex - 1].name;
    try {
      const found = await scored(sent, limits, {}, other);
      if (number === asked) place.replaceChildren(...differences(answers, found, name, other));
    } catch (error) {
      if (number === asked) problem.say(error.message);
    }
  }

  const label = element("label", {}, element("span", {}, "Compare with the model"), " ", field);
  return element("div", { class: "comparison controls" }, label, problem.view, place);
}

/** Return what two models flag: how many both do, and the documents that only one does. */
function differences(answers, found, name, other) {
  const by = answers.map((answer, row) => [answer, found.answers[row]]);
  const both = by.filter(([here, there]) => here.outlier && there.outlier).length;
  const onlyOne = by.filter(([here, there]) => here.outlier !== there.outlier);
  const onlyHere = onlyOne.filter(([here]) => here.outlier).length;
  onlyOne.sort(([, one], [, another]) => another.score - one.score);
  const sentence =
    `${whole(both)} of ${counted(by.length, "document")} are flagged by both, ${whole(onlyHere)} by ${name} alone, ` +
    `${whole(onlyOne.length - onlyHere)} by ${other} alone (threshold ${decimal(found.threshold)}).`;
  if (onlyOne.length === 0) return [element("p", {}, sentence)];
  const rows = onlyOne.slice(0, MOST_COMPARED).map(([here, there]) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, ownDirection(shortened(here.id, 80))),
      element("td", { class: "number" }, decimal(here.score)),
      element("td", { class: "number" }, decimal(there.score)),
      element("td", {}, here.outlier ? name : other),
    ),
  );
  const more = onlyOne.length > MOST_COMPARED && `The first ${whole(MOST_COMPARED)} of ${whole(onlyOne.length)}.`;
  const headings = ["id", name, other, "flagged by"];
  return [
    element("p", {}, sentence),
    element(
      "table",
      { class: "compared" },
      element("caption", {}, "Scores of the documents that one model alone flags"),
      element("thead", {}, element("tr", {}, headings.map((text) => element("th", { scope: "col" }, text)))),
      element("tbody", {}, rows),
    ),
    more && element("p", { class: "note" }, more),
  ].filter(Boolean);
}
