import { ask } from "./api.js";
import { element } from "../shared/dom.js";
import { decimal, whole } from "../shared/format.js";
import { problemLine } from "./notices.js";

/** A field to choose the model of the page by, if there are several that can answer. */
export function modelChoice({ name, models }, use) {
  const usable = models.filter(({ kind }) => kind !== null);
  if (usable.length < 2) return [];
  const field = element(
    "select",
    { id: "chosen-model", change: () => use(usable[field.selectedIndex].served ? null : usable[field.selectedIndex].name) },
    usable.map((one) => element("option", { selected: one.name === name }, `${one.name}${one.served ? " (served)" : ""}`)),
  );
  return [element("label", { for: "chosen-model" }, "Model"), field];
}

/**
 * All models of the server, each with its address; one of them can be made the served one.
 *
 * @param {object} model the chosen one, and all `models`.
 * @param {function(string|null)} use shows the page for another model.
 */
export function modelsList({ name, models }, use) {
  const problem = problemLine();

  async function change(path, method, then) {
    problem.say();
    try {
      await ask(path, { method });
      await use(then);
    } catch (error) {
      problem.say(error.message);
    }
  }

  function button(label, one, run) {
    return element("button", { type: "button", "aria-label": `${label}: ${one.name}`, click: run }, label);
  }

  /** Ask for confirmation, because a model that is deleted cannot be restored. */
  function confirm(one, cell) {
    const then = one.name === name ? null : name;
    const gone = button("Delete for good", one, () => change(addressOfModel(one), "DELETE", then));
    const keep = button("Keep", one, () => cell.replaceChildren(...actionsOf(one, cell)));
    cell.replaceChildren(gone, " ", keep);
    keep.focus();
  }

  function actionsOf(one, cell) {
    const link = element("a", { href: one.served ? "/#score" : `/?model=${encodeURIComponent(one.name)}#score` }, "Score with it");
    const serve = button("Make it the served one", one, () => change(`${addressOfModel(one)}/serve`, "POST", null));
    const gone = button("Delete", one, () => confirm(one, cell));
    const canServe = !one.served && one.kind !== null;
    return [one.kind !== null && link, canServe && serve, !one.served && !one.own && gone].filter(Boolean);
  }

  const rows = models.map((one) => {
    const cell = element("td", { class: "actions" });
    cell.append(...actionsOf(one, cell));
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, one.name, one.served && element("span", { class: "note" }, " served")),
      element("td", { class: "number" }, one.documents === null ? "" : whole(one.documents)),
      element("td", { class: "number" }, one.topics === null ? "" : whole(one.topics)),
      element("td", { class: "number" }, one.threshold === null ? "" : decimal(one.threshold)),
      element("td", {}, one.problem ?? element("code", {}, `/v1/models/${one.name}/score`)),
      cell,
    );
  });
  const headings = ["name", "documents", "topics", "threshold", "address", "actions"];
  return [
    element("h3", {}, "Models"),
    element(
      "table",
      { class: "models" },
      element("caption", { class: "unseen" }, "The models of this server, by name"),
      element("thead", {}, element("tr", {}, headings.map((text) => element("th", { scope: "col" }, text)))),
      element("tbody", {}, rows),
    ),
    element("p", { class: "note" }, "The served one answers at /v1/score too. To add one, name the model of a job."),
    problem.view,
  ];
}

function addressOfModel({ name }) {
  return `/v1/models/${encodeURIComponent(name)}`;
}
