import { element } from "../shared/dom.js";

/** A line for an error message, beside what it is about; screen readers announce it at once. */
export function problemLine() {
  const view = element("p", { class: "problem", role: "alert", hidden: true });
  /** Show a message, and perhaps a button; without arguments, hide the line. */
  function say(...content) {
    view.replaceChildren(...content);
    view.hidden = content.length === 0;
    view.classList.remove("is-note");
  }
  /** Show a message that is not an error. */
  function note(sentence) {
    say(sentence);
    view.classList.add("is-note");
  }
  return { view, say, note };
}

/** A progress bar. */
export function progressBar(label) {
  const view = element(
    "div",
    { class: "progress", role: "progressbar", "aria-label": label, "aria-valuemin": 0, "aria-valuemax": 100 },
    element("span", { class: "progress-done" }),
  );
  function show(share) {
    view.setAttribute("aria-valuenow", Math.round(100 * share));
    view.style.setProperty("--done", share.toFixed(4));
  }
  show(0);
  return { view, show };
}

/** A task in progress: its text, its progress and a button to cancel it; hidden while there is none. */
export class UnderWay {
  #controller = null;
  #text = element("span", { class: "progress-text" });
  #bar;

  constructor(label) {
    this.#bar = progressBar(label);
    this.cancel = element("button", { type: "button", click: () => this.stop() }, "Cancel");
    this.view = element("div", { class: "under-way", hidden: true }, this.#text, this.#bar.view, this.cancel);
  }

  /** Begin a task and cancel the current one. Return a signal that says when to stop. */
  begin(sentence) {
    this.stop();
    this.#controller = new AbortController();
    this.view.hidden = false;
    this.show(0, sentence);
    return this.#controller.signal;
  }

  show(share, sentence) {
    this.#bar.show(share);
    this.#bar.view.setAttribute("aria-valuetext", sentence);
    this.#text.textContent = sentence;
  }

  /** Return whether the task with this signal is still the current one. */
  isOf(signal) {
    return this.#controller?.signal === signal;
  }

  stop() {
    this.#controller?.abort();
  }

  end() {
    this.#controller = null;
    this.view.hidden = true;
  }
}
