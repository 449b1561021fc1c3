import { ask } from "./api.js";
import { element } from "../shared/dom.js";
import { problemLine } from "./notices.js";

/**
 * A form to keep the model of a job under a name.
 *
 * @param {object} job
 * @param {string} title of the job.
 * @param {function()} close shows what was there before.
 */
export function namingForm(job, title, close) {
  const problem = problemLine();
  const suggested = job.name.replace(/\..*$/, "").replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "").slice(0, 64);
  const field = element("input", { type: "text", value: suggested, required: true, maxlength: 64, spellcheck: "false" });

  async function submit(event) {
    event.preventDefault();
    problem.say();
    const name = field.value.trim();
    try {
      await ask(`/v1/models/${encodeURIComponent(name)}`, { method: "PUT", body: JSON.stringify({ job: job.id }) });
      const link = element("a", { href: `/?model=${encodeURIComponent(name)}#score` }, "Score with it");
      const done = element("button", { type: "button", click: close }, "Done");
      view.replaceChildren(element("span", { role: "status" }, `The model is called ${name}. `), link, " ", done);
      link.focus();
    } catch (error) {
      problem.say(error.message);
      field.select();
    }
  }

  const view = element(
    "form",
    { class: "naming controls", submit },
    element("label", {}, element("span", {}, "Name"), " ", field),
    element("button", { type: "submit", "aria-label": `Keep the model: ${title}` }, "Keep the model"),
    element("button", { type: "button", click: close }, "Not now"),
    problem.view,
  );
  return { view, focus: () => field.select() };
}
