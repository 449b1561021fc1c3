const DURATION = 280;
const REDUCED = matchMedia("(prefers-reduced-motion: reduce)");

/** Move a view to another part of the map, smoothly unless the reader prefers less motion. */
export class MapMotion {
  #frame = 0;

  /** @param {function(boolean)} paint runs after each step, with whether there are more. */
  constructor(view, paint) {
    Object.assign(this, { view, paint });
  }

  stop() {
    cancelAnimationFrame(this.#frame);
  }

  to(part) {
    this.stop();
    const { view, paint } = this;
    const from = { x: view.x, y: view.y, zoom: view.zoom };
    view.show(part);
    const end = { x: view.x, y: view.y, zoom: view.zoom };
    if (REDUCED.matches) return paint(false);
    const began = performance.now();
    const step = (now) => {
      const done = Math.min(Math.max((now - began) / DURATION, 0), 1);
      view.show(partBetween(from, end, 1 - (1 - done) ** 3));
      paint(done < 1);
      if (done < 1) this.#frame = requestAnimationFrame(step);
    };
    this.#frame = requestAnimationFrame(step);
  }
}

/** Return a part between two; what does not move between them stays in place. */
function partBetween(from, to, share) {
  const zoom = from.zoom * (to.zoom / from.zoom) ** share;
  // Places move with 1 / zoom, so that the same point stays fixed as in one zoom.
  const [start, end] = [1 / from.zoom, 1 / to.zoom];
  const along = Math.abs(end - start) < 1e-6 ? share : (1 / zoom - start) / (end - start);
  return { x: from.x + (to.x - from.x) * along, y: from.y + (to.y - from.y) * along, zoom };
}
