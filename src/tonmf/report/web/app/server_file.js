import { isCancelled, sendFile } from "./api.js";
import { element } from "../shared/dom.js";
import { bytesInWords } from "./file_field.js";
import { isolated, percent, shortened } from "../shared/format.js";
import { problemLine, UnderWay } from "./notices.js";
import { filePreview } from "./preview_view.js";

/**
 * A file that the server reads and scores, as a job, after a look at its columns.
 *
 * @param {{name: string, limits: object}} model scores it.
 * @param {function(object)} onJob gets the job.
 */
export function serverFile({ name: model, limits }, onJob) {
  const preview = filePreview();
  const problem = problemLine();
  const progress = new UnderWay("Upload of the file to score");
  const title = element("h3", { tabindex: -1 });
  const button = element("button", { type: "submit", class: "main-action" }, "Score the file");
  const dismiss = element("button", { type: "button", click: close }, "Not this file");
  let file = null;

  function take(given) {
    file = given;
    problem.say();
    title.replaceChildren(element("bdi", {}, shortened(file.name, 80)), element("small", {}, ` ${bytesInWords(file.size)}`));
    view.hidden = false;
    preview.look(file);
    title.scrollIntoView({ block: "nearest" });
    title.focus({ preventScroll: true });
  }

  function close() {
    progress.stop();
    preview.close();
    view.hidden = true;
  }

  async function submit(event) {
    event.preventDefault();
    problem.say();
    if (file.size > limits.upload) {
      problem.say(`The file has ${bytesInWords(file.size)}, but this server accepts ${bytesInWords(limits.upload)} at most.`);
      return;
    }
    const called = isolated(shortened(file.name, 80));
    const signal = progress.begin(`Sending ${called}…`);
    button.disabled = true;
    try {
      const column = preview.textColumn();
      const options = new URLSearchParams({ name: file.name, model, ...(column && { text_column: column }) });
      const onProgress = (share) => progress.show(share, `Sending ${called}, ${percent(share)}`);
      const job = await sendFile(`/v1/jobs?${options}`, file, { signal, onProgress });
      close();
      onJob(job);
    } catch (error) {
      if (!isCancelled(error)) problem.say(error.message);
    } finally {
      progress.end();
      button.disabled = false;
    }
  }

  const view = element(
    "form",
    { class: "server-file", hidden: true, novalidate: true, submit },
    title,
    preview.view,
    element("p", { class: "note" }, "The server scores it as a job, and makes a report of all documents with a map."),
    element("div", { class: "actions" }, button, dismiss),
    progress.view,
    problem.view,
  );
  return { view, take, stop: close };
}
