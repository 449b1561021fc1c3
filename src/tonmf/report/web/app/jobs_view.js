import { ask, RequestError } from "./api.js";
import { element } from "../shared/dom.js";
import { isUnderWay, jobEntry, newsOf } from "./job_entry.js";
import { problemLine } from "./notices.js";

const SOON = 1000;
const LATER = 5000;

/** The server's jobs, newest first; polls while one is in progress and the page is visible. */
export function jobsView(onCount) {
  const problem = problemLine();
  const news = element("p", { class: "unseen", role: "status" });
  const heading = element("h3", { id: "jobs-heading", tabindex: -1 }, "Jobs");
  const none = element("p", { class: "absent" }, "None so far.");
  const list = element("ol", { class: "jobs" });
  const entries = new Map();
  let jobs = [];
  let waiting = 0;
  let changes = 0; // an answer requested before the last change is out of date
  let isStopped = false;

  function show(latest) {
    const before = new Map(jobs.map((job) => [job.id, job.state]));
    const changed = latest.filter((job) => before.has(job.id) && before.get(job.id) !== job.state);
    if (changed.length > 0) news.textContent = changed.map(newsOf).join(" ");
    jobs = latest;
    for (const [id, entry] of entries) {
      if (jobs.some((job) => job.id === id)) continue;
      entry.view.remove();
      entries.delete(id);
    }
    jobs.forEach((job, place) => {
      if (entries.has(job.id)) entries.get(job.id).update(job);
      else entries.set(job.id, jobEntry(job, { cancel, remove }));
      const { view } = entries.get(job.id);
      if (list.children[place] !== view) list.insertBefore(view, list.children[place] ?? null);
    });
    none.hidden = jobs.length > 0;
    onCount(jobs.filter(isUnderWay).length);
  }

  /** Load all jobs now, and again while any of them is in progress. */
  async function refresh() {
    clearTimeout(waiting);
    if (isStopped) return;
    const seen = ++changes;
    let wait = SOON;
    try {
      const latest = (await ask("/v1/jobs")).jobs;
      if (isStopped || seen !== changes) return;
      show(latest);
      problem.say();
    } catch (error) {
      if (isStopped || seen !== changes || error.status === 401) return;
      problem.say(`${error.message} The list may be out of date.`);
      wait = LATER;
    }
    clearTimeout(waiting);
    const isOfInterest = wait === LATER || jobs.some(isUnderWay);
    if (isOfInterest && document.visibilityState === "visible") waiting = setTimeout(refresh, wait);
  }

  function showOne(job) {
    changes++;
    show([job, ...jobs].filter((one, place, all) => all.findIndex(({ id }) => id === one.id) === place).sort(newestFirst));
  }

  async function add(job) {
    showOne(job);
    entries.get(job.id).focus();
    await refresh();
  }

  async function cancel(job) {
    showOne(await ask(addressOf(job, "/cancel"), { method: "POST" }));
    await refresh();
  }

  async function remove(job) {
    try {
      await ask(addressOf(job), { method: "DELETE" });
    } catch (error) {
      // Someone else has deleted it already.
      if (!(error instanceof RequestError) || error.status !== 404) throw error;
    }
    changes++;
    news.textContent = `${job.name} was deleted.`;
    heading.focus({ preventScroll: true });
    show(jobs.filter(({ id }) => id !== job.id));
    await refresh();
  }

  function stop() {
    isStopped = true;
    clearTimeout(waiting);
    document.removeEventListener("visibilitychange", look);
  }

  function look() {
    if (document.visibilityState === "visible") refresh();
  }
  document.addEventListener("visibilitychange", look);
  const view = element("div", { class: "jobs-place" }, heading, problem.view, none, list, news);
  return { view, refresh, add, stop };
}

function addressOf({ id }, end = "") {
  return `/v1/jobs/${encodeURIComponent(id)}${end}`;
}

function newestFirst(one, other) {
  return new Date(other.created) - new Date(one.created);
}
