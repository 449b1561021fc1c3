import { isCancelled, sendFile } from "./api.js";
import { element } from "../shared/dom.js";
import { bytesInWords, fileField } from "./file_field.js";
import { fitOptions } from "./fit_options.js";
import { counted, isolated, percent, shortened } from "../shared/format.js";
import { jobsView } from "./jobs_view.js";
import { problemLine, UnderWay } from "./notices.js";

/**
 * Fit a model on a corpus: a form with a file and options, which starts a job on the server, and the list of jobs.
 *
 * @param {object} model as the server describes it: its limits, and what may embed texts.
 * @param {function(number)} onCount gets the number of jobs in progress.
 */
export function fitView({ limits, job_embedder }, onCount) {
  let file = null;
  const problem = problemLine();
  const progress = new UnderWay("Upload");
  const jobs = jobsView(onCount);
  const options = fitOptions(job_embedder);
  const heading = element("h2", { id: "fit-heading", tabindex: -1, class: "unseen" }, "Fit a model");
  const chosen = element("p", { class: "chosen", role: "status" });
  const button = element("button", { type: "submit", class: "main-action" }, "Start");
  const files = fileField({
    id: "corpus-file",
    label: "Choose a file",
    note:
      ".csv, .tsv, .jsonl, .parquet, .xlsx, .txt (one document per line), .mbox, .dat (one basket per line), a matrix (.npz, " +
      ".mtx) or a database, also compressed as .gz, .bz2, .xz or .zst; or a .zip of texts, pages, mails or tables. " +
      `At most ${bytesInWords(limits.upload)}.`,
    take: ([first, ...others]) =>
      others.length > 0 ? problem.say(`You chose ${counted(others.length + 1, "file")}. Choose one at a time.`) : take(first),
  });

  function take(given) {
    file = given;
    problem.say();
    chosen.replaceChildren();
    if (!file) return;
    chosen.append(element("b", { dir: "auto" }, shortened(file.name, 80)), ` ${bytesInWords(file.size)}`);
    button.focus();
  }

  async function submit(event) {
    event.preventDefault();
    problem.say();
    if (!form.checkValidity()) {
      more.open = true; // or the invalid field would stay hidden
      form.reportValidity();
      return;
    }
    if (!file) {
      problem.say("Choose a file first.");
      files.input.focus();
      return;
    }
    if (file.size > limits.upload) {
      problem.say(`The file has ${bytesInWords(file.size)}, but this server accepts ${bytesInWords(limits.upload)} at most.`);
      return;
    }
    const name = isolated(shortened(file.name, 80));
    const signal = progress.begin(`Sending ${name}…`);
    button.disabled = true;
    progress.cancel.focus();
    try {
      const address = `/v1/jobs?${new URLSearchParams({ name: file.name, ...options.changed() })}`;
      const onProgress = (share) => progress.show(share, `Sending ${name}, ${percent(share)}`);
      const job = await sendFile(address, file, { signal, onProgress });
      take(null);
      await jobs.add(job);
    } catch (error) {
      if (isCancelled(error)) problem.note("Cancelled.");
      else problem.say(error.message);
      files.input.focus();
    } finally {
      progress.end();
      button.disabled = false;
    }
  }

  const more = element("details", { class: "how" }, element("summary", {}, "Options"), options.view);
  const form = element(
    "form",
    { class: "fit-form", novalidate: true, submit },
    files.view,
    chosen,
    more,
    element("div", { class: "actions" }, button),
    progress.view,
    problem.view,
  );
  const view = element(
    "section",
    { id: "fit", "aria-labelledby": "fit-heading" },
    heading,
    element(
      "p",
      { class: "lead" },
      "Learn what is ordinary in a corpus of your own, and see what does not belong in it. The job runs on the server: you ",
      "can close this page.",
    ),
    form,
    jobs.view,
  );
  return { view, heading, add: jobs.add, refresh: jobs.refresh, stop: () => (progress.stop(), jobs.stop()) };
}
