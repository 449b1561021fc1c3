import { element } from "../shared/dom.js";

/** A place for what went wrong, beside what it is about; screen readers say it at once. */
export function problemLine() {
  const view = element("p", { class: "problem", role: "alert", hidden: true });
  /** Show a sentence, and perhaps what to do about it; nothing hides the line. */
  function say(...content) {
    view.replaceChildren(...content);
    view.hidden = content.length === 0;
    view.classList.remove("is-note");
  }
  /** Show a sentence that is no surprise. */
  function note(sentence) {
    say(sentence);
    view.classList.add("is-note");
  }
  return { view, say, note };
}

/** A bar that fills as something is done. */
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

/** What is under way, how far it is, and a button to stop it; hidden while there is nothing. */
export class UnderWay {
  #controller = null;
  #text = element("span", { class: "progress-text" });
  #bar;

  constructor(label) {
    this.#bar = progressBar(label);
    this.cancel = element("button", { type: "button", click: () => this.stop() }, "Cancel");
    this.view = element("div", { class: "under-way", hidden: true }, this.#text, this.#bar.view, this.cancel);
  }

  /** Begin, and stop what is under way already. Returns a signal that tells when to stop. */
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

  /** Whether what has this signal is still what is under way. */
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
