/**
 * The values that the parts of a page share; each part can follow changes by the others.
 *
 *     const state = new State({ threshold: 2, topic: null });
 *     state.on(["threshold"], () => redraw(state.threshold));
 *     state.set({ threshold: 3 });
 */
export class State {
  #followers = [];

  constructor(values) {
    Object.assign(this, values);
  }

  /** Call a function after any of these values change: once, however many of them did. */
  on(names, run) {
    this.#followers.push({ names, run });
  }

  set(changes) {
    const changed = Object.keys(changes).filter((name) => !Object.is(this[name], changes[name]));
    if (changed.length === 0) return;
    Object.assign(this, changes);
    for (const { names, run } of this.#followers) {
      if (names.some((name) => changed.includes(name))) run(changed);
    }
  }
}
