import { ask, isCancelled, ofModel } from "./api.js";
import { element } from "../shared/dom.js";
import { exampleOf } from "./example.js";
import { explained, scored } from "./explaining.js";
import { fileField } from "./file_field.js";
import { counted, decimal, isolated, shortened, whole } from "../shared/format.js";
import { documentsInFile, documentsInText, IncomingError, isReadHere, wordingOf } from "./incoming.js";
import { problemLine, UnderWay } from "./notices.js";
import { resultsOf } from "./results.js";
import { serverFile } from "./server_file.js";
import { namesInMarks } from "./server_marks.js";

/**
 * Score documents that are typed, pasted or dropped.
 *
 * @param {object} model the server's description of it, and its `topics`.
 * @param {State} state with the `threshold`, which marks move.
 * @param {function(object)} onJob gets the job of a file that the server scores, since the page cannot read it.
 */
export function scoreView(model, state, onJob) {
  const wording = wordingOf(model.kind);
  const problem = problemLine();
  const progress = new UnderWay("Documents scored");
  const onServer = serverFile(model, onJob);
  const results = element("div", { class: "results-place" });
  const heading = element("h2", { id: "score-heading", tabindex: -1, class: "unseen" }, "Score documents");
  const field = element("textarea", {
    id: "text",
    rows: 9,
    dir: "auto",
    spellcheck: "false",
    placeholder: "Type or paste here",
    "aria-describedby": "text-note",
    keydown: scoreByKey,
  });
  const [one, each] = ["one", "lines"].map((value) =>
    element("input", { type: "radio", name: "pasted-as", value, checked: value === "one" }),
  );
  const button = element("button", { type: "submit", class: "main-action" }, "Score");
  const example = element("button", { type: "button", class: "example", click: tryExample }, "Try an example");
  field.addEventListener("input", () => (example.hidden = field.value !== ""));
  const files = fileField({
    id: "score-file",
    label: "Choose a file",
    note: wording.files,
    take: scoreFile,
  });

  const flaggedAbove = element("span");
  const onThreshold = (threshold) => state.set({ threshold });

  function follow() {
    flaggedAbove.textContent = `Those that score above ${decimal(state.threshold)} are flagged.`;
  }
  state.on(["threshold"], follow);
  follow();

  function scoreByKey(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) scoreText(event);
  }

  function scoreText(event) {
    event.preventDefault();
    run(field, "pasted text", false, () => documentsInText(field.value, one.checked, model.kind));
  }

  function tryExample() {
    field.value = exampleOf(model);
    example.hidden = true;
    each.checked = true;
    run(field, "an example", false, () => documentsInText(field.value, false, model.kind));
  }

  function scoreFile(chosen) {
    onServer.stop();
    if (chosen.length === 1 && !isReadHere(chosen[0])) {
      problem.say();
      onServer.take(chosen[0]);
      return;
    }
    run(files.input, shortened(chosen[0].name, 80), true, () => {
      if (chosen.length > 1) throw new IncomingError(`You chose ${counted(chosen.length, "file")}. Choose one at a time.`);
      return documentsInFile(chosen[0], model.kind);
    });
  }

  /** Score the documents that `read` returns; `isNamed` says whether they have ids by which they are known again. */
  async function run(origin, title, isNamed, read) {
    const signal = progress.begin(`Reading ${isolated(title)}…`);
    problem.say();
    results.replaceChildren();
    button.disabled = true;
    progress.cancel.focus();
    try {
      const documents = await read();
      const all = counted(documents.length, "document");
      const onDone = (done) => progress.show(done / documents.length, `${whole(done)} of ${all} scored`);
      onDone(0);
      const { threshold, answers } = await scored(documents, model.limits, { signal, onDone });
      if (answers.length === 1) answers.splice(0, 1, ...(await explained(documents, model.limits)));
      const { marks } = await ask(ofModel("/marks"), { signal });
      const names = await namesInMarks(documents, isNamed, marks, model.limits);
      const drift = await warningOfDrift(answers, signal);
      signal.throwIfAborted();
      if (!progress.isOf(signal)) return;
      onThreshold(threshold);
      show(resultsOf(answers, documents, { ...model, title, marks, names, threshold, drift, onThreshold }));
    } catch (error) {
      // If another task has started meanwhile, this error no longer matters.
      if (progress.isOf(signal)) fail(error, origin);
    }
  }

  function finish() {
    progress.end();
    button.disabled = false;
  }

  function show({ view, heading: resultHeading }) {
    results.replaceChildren(view);
    finish();
    resultHeading.scrollIntoView({ block: "start" });
    resultHeading.focus({ preventScroll: true });
  }

  /** Show the error, and return the focus to where the task began. */
  function fail(error, origin) {
    finish();
    const other = error.file && element("button", { type: "button", click: () => take(error.file) }, "Score it on the server");
    if (isCancelled(error)) problem.note("Cancelled.");
    else problem.say(error.message, ...(other ? [" ", other] : []));
    (other ?? origin).focus({ preventScroll: true });
  }

  function take(file) {
    problem.say();
    onServer.take(file);
  }

  const form = element(
    "form",
    { class: "score-form", submit: scoreText },
    element("div", { class: "label-row" }, element("label", { for: "text" }, wording.label), example),
    field,
    element(
      "div",
      { class: "score-row" },
      element(
        "fieldset",
        { class: "radios" },
        element("legend", { class: "unseen" }, "The text is"),
        element("label", {}, one, " one document"),
        element("label", {}, each, " one document per line"),
      ),
      element("span", { class: "note", id: "text-note" }, wording.howTo, "Ctrl + Enter scores it."),
      button,
    ),
  );
  const view = element(
    "section",
    { id: "score", "aria-labelledby": "score-heading" },
    heading,
    element(
      "p",
      { class: "lead" },
      `Check whether documents belong with the ${whole(model.documents)} that the model was fitted on. `,
      flaggedAbove,
    ),
    element("div", { class: "score-ways" }, form, files.view),
    progress.view,
    problem.view,
    onServer.view,
    results,
  );
  return { view, heading, stop: () => (progress.stop(), onServer.stop()) };
}

/** Return the server's warning if far more is flagged than in training; null if not, or of a single document. */
async function warningOfDrift(answers, signal) {
  const judged = answers.filter((answer) => answer.judged).length;
  const flagged = answers.filter((answer) => answer.outlier).length;
  if (judged < 2 || flagged === 0) return null;
  return (await ask(ofModel(`/drift?judged=${judged}&flagged=${flagged}`), { signal })).warning;
}
