import { explained } from "./explaining.js";

/** Reasons to ask for at once: those of a page of the list come in one answer, those of a long page in several. */
const REASONS_AT_ONCE = 50;

/** Reasons that are kept; they hold the texts, and the list shows a page at a time. */
const REASONS_KEPT = 1000;

/**
 * Scored documents whose reasons the server is asked for once they are about to be seen; what a list reads in place of
 * `Documents`.
 *
 * @param {object[]} sent the documents, by place.
 * @param {{batch: number, body: number}} limits of the server.
 * @param {function(number, object)} onReasons gets the place and the explanation of each document when it comes.
 */
export class ReasonsOnDemand {
  #known = new Map();
  #wanted = [];

  constructor(sent, limits, onReasons = () => {}) {
    Object.assign(this, { sent, limits, onReasons, length: sent.length, partSize: 500 });
  }

  get n_parts() {
    return Math.ceil(this.length / this.partSize);
  }

  /** Return the explanation of a document; those that are asked for in the same moment are fetched together. */
  at(place) {
    if (!this.#known.has(place)) {
      const coming = new Promise((resolve, reject) => this.#wanted.push({ place, resolve, reject }));
      coming.catch(() => this.#known.delete(place)); // so that it can be asked for again
      this.#known.set(place, coming);
      if (this.#known.size > REASONS_KEPT) this.#known.delete(this.#known.keys().next().value);
      if (this.#wanted.length === 1) queueMicrotask(() => this.#fetch());
    }
    return this.#known.get(place);
  }

  /** Return what can be searched of some documents: their ids and texts, which need no answer of the server. */
  texts(number) {
    return this.#some(number).map((document) => ({ id: document.id, pieces: [textOfSent(document)] }));
  }

  /** Return some documents with what a table has of them; the texts are as they were sent. */
  async part(number) {
    const some = this.#some(number);
    const answers = await explained(some, this.limits, { pieces: false, n_nearest: 0 });
    return answers.map((answer, place) => ({ ...answer, pieces: [textOfSent(some[place])] }));
  }

  /** Forget all reasons, since marks have changed them. */
  forget() {
    this.#known.clear();
  }

  #some(number) {
    return this.sent.slice(number * this.partSize, (number + 1) * this.partSize);
  }

  async #fetch() {
    const wanted = this.#wanted.splice(0);
    for (let start = 0; start < wanted.length; start += REASONS_AT_ONCE) {
      const some = wanted.slice(start, start + REASONS_AT_ONCE);
      try {
        const answers = await explained(some.map(({ place }) => this.sent[place]), this.limits);
        some.forEach(({ place, resolve }, number) => {
          this.onReasons(place, answers[number]);
          resolve(answers[number]);
        });
      } catch (error) {
        some.forEach(({ reject }) => reject(error));
      }
    }
  }
}

/** Return the text of a document that was sent; items with spaces between, and nothing for counts. */
function textOfSent({ text, items }) {
  return text ?? (items ?? []).join(" ");
}
