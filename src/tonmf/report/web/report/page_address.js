import { hashOf, beginStep, onAddress, readAddress, writeAddress } from "../shared/address.js";
import { keysOf } from "./page_keys.js";

/** Milliseconds to wait while the reader types or drags; browsers refuse addresses that change too often. */
const STILL = 300;

/** Values that change in small steps, which Back takes back all at once. */
const GRADUAL = ["query", "threshold"];

/**
 * Keeps the state of a report and its address the same, so that a link shows what its sender saw, and Back goes back.
 *
 * The address names only what differs from the state at first.
 */
export class PageAddress {
  #state = null;
  #section = "";
  #isHeld = false;
  #last = "";
  #pending = null;
  #waiting = 0;

  /** @param {{columns: object, topics: object[], groups: object[], found: {threshold: number}}} source of the report. */
  constructor({ columns, topics, groups, found }) {
    this.found = found;
    this.keys = keysOf(columns, topics, groups);
  }

  /** Return the section and the values of the state that an address names. */
  read({ section, values } = readAddress()) {
    const state = {};
    for (const { key, name, initial, read } of this.keys) {
      state[name] = values.has(key) ? (read(values.get(key)) ?? initial) : initial;
    }
    const threshold = values.has("threshold") ? Number(values.get("threshold") || NaN) : NaN;
    state.threshold = Number.isFinite(threshold) ? threshold : this.found.threshold;
    return { section, state };
  }

  /** Return the address of a section with some values, and with the threshold as it is. */
  of(section, values) {
    const pairs = this.keys
      .filter(({ name }) => name in values)
      .map(({ key, name, write }) => [key, write(values[name])])
      .filter(([, text]) => text !== null);
    const { threshold } = { ...(this.#state ?? this.found), ...values };
    if (threshold !== this.found.threshold) pairs.push(["threshold", String(threshold)]);
    return hashOf(section, pairs);
  }

  /** Return the address of a section of the page as it is. */
  ofSection(section) {
    return this.of(section, this.#state);
  }

  /**
   * Follow the state from now on, and the reader to other addresses.
   *
   * @param {State} state
   * @param {function(string, (number|null), boolean): Promise} arrive goes to a section, and opens a document, once the rest of
   *     the state is that of the address; not if the browser scrolls.
   */
  follow(state, arrive) {
    this.#state = state;
    this.#section = readAddress().section;
    state.on([...this.keys.map(({ name }) => name), "threshold"], (changed) => this.#take(changed));
    writeAddress(location.hash || "#");
    onAddress((address, isReturn) => {
      clearTimeout(this.#waiting);
      this.#pending = null;
      const { section, state: values } = this.read(address);
      const { opened, ...others } = values;
      this.#hold(section, async () => {
        state.set(others);
        await arrive(section, opened, isReturn);
      });
    });
  }

  /** Change the state, perhaps several times, as one step that Back takes back. */
  asOneStep(section, run) {
    this.#settle();
    beginStep();
    return this.#hold(section, run);
  }

  async #hold(section, run) {
    this.#isHeld = true;
    try {
      await run();
    } finally {
      this.#isHeld = false;
    }
    this.#section = section;
    this.#last = "";
    writeAddress(this.ofSection(section));
  }

  #take(changed) {
    if (this.#isHeld) return;
    const ours = changed.filter((name) => name === "threshold" || this.keys.some((key) => key.name === name));
    const gradual = ours.length === 1 && GRADUAL.includes(ours[0]) ? ours[0] : "";
    const isSame = gradual !== "" && gradual === this.#last;
    this.#last = gradual;
    if (ours.includes("opened")) this.#section = "";
    const address = this.ofSection(this.#section);
    if (isSame) {
      clearTimeout(this.#waiting);
      this.#pending = address;
      this.#waiting = setTimeout(() => this.#settle(), STILL);
      return;
    }
    this.#settle();
    if (address === (location.hash || "#")) return;
    if (!ours.every((name) => name === "view")) beginStep(); // Back does not take back how the map was moved
    writeAddress(address);
  }

  /** Write the address that waits for the reader to stop. */
  #settle() {
    clearTimeout(this.#waiting);
    if (this.#pending !== null) writeAddress(this.#pending);
    this.#pending = null;
  }
}
