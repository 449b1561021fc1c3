import { element } from "../shared/dom.js";
import { fileName } from "../shared/export.js";
import { counted, percent, shortened, whole } from "../shared/format.js";
import { namingForm } from "./naming.js";
import { problemLine, progressBar } from "./notices.js";

const MOMENT = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** Return whether a job is waiting or running. */
export function isUnderWay(job) {
  return job.state === "queued" || job.state === "running";
}

/** Return a job's news in a sentence, for screen readers. */
export function newsOf(job) {
  const found = job.state === "done" && job.documents !== null ? `, ${flaggedInWords(job)}` : "";
  return `${shortened(job.name, 80)}: ${stateInWords(job)}${found}.`;
}

function stateInWords({ state }) {
  return state === "queued" ? "waiting" : state;
}

function flaggedInWords({ documents, flagged }) {
  return `${whole(flagged ?? 0)} of ${counted(documents, "document")} flagged`;
}

/**
 * A job in the list. It is updated in place, to keep the focus where it is.
 *
 * @param {object} first the job's current state; `update` takes later ones.
 * @param {{cancel: function(object), remove: function(object)}} asked handlers of the buttons; may throw.
 */
export function jobEntry(first, asked) {
  const problem = problemLine();
  const title = shortened(first.name, 80);
  const heading = element("h4", { class: "job-name", tabindex: -1, dir: "auto" }, title);
  const state = element("span", { class: "job-state" });
  const about = element("p", { class: "job-about" });
  const bar = progressBar(`Progress of ${title}`);
  const step = element("span", { class: "progress-text" });
  const running = element("div", { class: "under-way" }, step, bar.view);
  const message = element("p", { class: "job-message", dir: "auto" });
  const notes = element("ul", { class: "notes" });
  const actions = element("div", { class: "actions" });
  const view = element(
    "li",
    { class: "job", "data-id": first.id },
    element("div", { class: "job-head" }, heading, state, about),
    message,
    notes,
    element("div", { class: "job-row" }, running, actions),
    problem.view,
  );
  let shown = null;

  function update(job) {
    const { progress, step: at } = job;
    running.hidden = !isUnderWay(job);
    bar.show(progress ?? 0);
    step.textContent = job.state === "queued" ? "Waiting in the queue" : `${at ?? "Starting"}, ${percent(progress ?? 0)}`;
    bar.view.setAttribute("aria-valuetext", step.textContent);
    about.replaceChildren(...aboutOf(job));
    message.textContent = job.message ?? "";
    message.hidden = !job.message;
    notes.replaceChildren(...(job.notes ?? []).map((note) => element("li", { dir: "auto" }, note)));
    notes.hidden = !notes.hasChildNodes();
    if (shown !== job.state) {
      shown = job.state;
      view.dataset.state = job.state;
      state.textContent = stateInWords(job);
      showActions(isUnderWay(job) ? [action("Cancel", () => asked.cancel(job))] : endedActions(job));
    }
  }

  /** Replace the buttons; if one of them has the focus, move it to the heading. */
  function showActions(nodes) {
    const hadFocus = actions.contains(document.activeElement);
    actions.replaceChildren(...nodes);
    if (hadFocus) heading.focus({ preventScroll: true });
  }

  function endedActions(job) {
    const naming = job.state === "done" && !job.model && action("Name the model", () => nameModel(job));
    return [...(job.state === "done" ? linksOf(job) : []), naming, action("Delete", () => confirm(job))].filter(Boolean);
  }

  /** Keep the model under a name, by which it answers beside the served one. */
  function nameModel(job) {
    const form = namingForm(job, title, () => showActions(endedActions(job)));
    showActions([form.view]);
    form.focus();
  }

  /** Ask for confirmation, because deleted results cannot be restored. */
  function confirm(job) {
    const keep = action("Keep", () => showActions(endedActions(job)));
    const gone = action("Delete for good", () => asked.remove(job));
    showActions([element("span", {}, "Delete it and its results?"), gone, keep]);
    keep.focus();
  }

  function action(label, run) {
    return element("button", { type: "button", "aria-label": `${label}: ${title}`, click: () => attempt(run) }, label);
  }

  async function attempt(run) {
    problem.say();
    try {
      await run();
    } catch (error) {
      problem.say(error.message);
    }
  }

  function linksOf({ id, name, model }) {
    const address = `/v1/jobs/${encodeURIComponent(id)}`;
    const link = (label, part, more) =>
      element("a", { href: `${address}/${part}`, "aria-label": `${label}: ${title}`, ...more }, label);
    return [
      link("Open the report", "report", { target: "_blank", rel: "noopener", class: "button main-action" }),
      link("Scores (CSV)", "scores", { download: fileName(name, "-scores.csv") }),
      ...(model ? [] : [link("Model (zip)", "model", { download: fileName(name, "-model.zip") })]),
      link("Summary (JSON)", "summary", { download: fileName(name, "-summary.json") }),
    ];
  }

  update(first);
  return { view, update, focus: () => heading.focus() };
}

function aboutOf(job) {
  const moment = new Date(job.created);
  const facts = [element("time", { datetime: job.created }, Number.isNaN(moment.getTime()) ? "" : MOMENT.format(moment))];
  if (job.state === "done" && job.documents !== null) facts.push(flaggedInWords(job));
  else if (job.documents) facts.push(counted(job.documents, "document"));
  if (job.model) facts.push(`scored by ${job.model}`);
  if (job.started && job.ended) facts.push(`took ${durationOf((new Date(job.ended) - new Date(job.started)) / 1000)}`);
  return facts.flatMap((fact) => [fact, " · "]).slice(0, -1);
}

/** Format 83 seconds as "1 min 23 s". */
function durationOf(seconds) {
  const all = Math.max(Math.round(seconds), 1);
  const [hours, minutes] = [Math.floor(all / 3600), Math.floor((all % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${all % 60} s` : `${all} s`;
}
