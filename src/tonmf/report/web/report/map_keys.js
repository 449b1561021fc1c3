/** Share of the window by which an arrow key moves the map, and the factor of a zoom by key or button. */
const STEP = 0.15;
export const ZOOM = 1.6;

const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * Keys on the map: arrows move it, with Shift to the next document in a direction; +, − and 0 zoom; Enter opens the document
 * in the middle.
 *
 * @param {HTMLElement} target
 * @param {object} on `drag(across, down)` and `zoom(factor)` as shares of the window, `whole()`, `next(across, down)`,
 *     `open(event)`, and `stop()`, which returns whether there was anything to stop.
 */
export function mapKeys(target, on) {
  target.addEventListener("keydown", (event) => {
    if (event.target !== target || event.ctrlKey || event.metaKey || event.altKey) return;
    const [across, down] = DIRECTIONS[event.key] ?? [];
    if (across !== undefined && event.shiftKey) on.next(across, down);
    else if (across !== undefined) on.drag(-STEP * across, -STEP * down);
    else if (event.key === "+" || event.key === "=") on.zoom(ZOOM);
    else if (event.key === "-") on.zoom(1 / ZOOM);
    else if (event.key === "0") on.whole();
    else if (event.key === "Enter") on.open(event);
    else if (event.key !== "Escape" || !on.stop()) return;
    event.preventDefault();
  });
}
