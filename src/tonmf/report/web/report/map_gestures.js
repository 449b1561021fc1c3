const FAR = 5;
const FAR_FOR_FINGER = 12;

/** Milliseconds between turns of a wheel that are one movement. */
const ONE_MOVEMENT = 250;

const PIXELS_OF_A_LINE = 16;
const BY_WHEEL = 0.0018;
const BY_PINCH_ON_PAD = 0.01;

/**
 * Translate what pointers and the wheel do.
 *
 * Drag to move the map, or to draw a rectangle with Shift or while `isSelecting()`. Two fingers move and zoom. With one finger
 * the page scrolls, unless the map is zoomed in. The wheel zooms; but where the page is being scrolled it goes on, also away
 * from a map that is shown as a whole.
 *
 * @param {HTMLElement} target
 * @param {MapView} view
 * @param {object} on `over(point)`, `out()`, `click(point, event)`, `drag(across, down)`, `zoom(factor, point)`,
 *     `rectangle(box)`, `select(box)` and `isSelecting()`; points and boxes are in pixels of the map.
 */
export function mapGestures(target, view, on) {
  const fingers = new Map();
  let start = null; // where a press began, and what it became
  const at = ({ clientX, clientY }) => {
    const box = target.getBoundingClientRect();
    return { x: clientX - box.left - target.clientLeft, y: clientY - box.top - target.clientTop };
  };

  target.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.target.closest(".map-zoom")) return;
    fingers.set(event.pointerId, at(event));
    // A name is clicked unless the pointer moves on: a captured pointer would click the map.
    const isOnName = event.target.closest("button") !== null;
    if (!isOnName) target.setPointerCapture(event.pointerId);
    on.out();
    if (fingers.size > 1) {
      for (const id of fingers.keys()) target.setPointerCapture(id);
      if (start?.kind === "rectangle") on.rectangle(null);
      start = { kind: "pinch" };
      return;
    }
    const kind = event.shiftKey || on.isSelecting() ? "rectangle" : "drag";
    start = { ...at(event), kind, isOnName, isFar: false, reach: event.pointerType === "touch" ? FAR_FOR_FINGER : FAR };
  });

  target.addEventListener("pointermove", (event) => {
    const point = at(event);
    if (!fingers.has(event.pointerId)) {
      if (event.pointerType !== "touch" && !event.target.closest("button")) on.over(point);
      return;
    }
    const before = fingers.get(event.pointerId);
    if (start?.kind === "pinch") pinch(event.pointerId, before, point);
    else if (start) move(event.pointerId, before, point);
    fingers.set(event.pointerId, point);
  });

  function move(id, before, point) {
    const wasFar = start.isFar;
    start.isFar ||= Math.hypot(point.x - start.x, point.y - start.y) > start.reach;
    if (!start.isFar) return;
    if (!wasFar) target.setPointerCapture(id);
    if (start.kind === "rectangle") on.rectangle(boxBetween(start, point));
    else on.drag(point.x - (wasFar ? before : start).x, point.y - (wasFar ? before : start).y);
  }

  function pinch(moved, before, point) {
    const other = [...fingers].find(([id]) => id !== moved)?.[1];
    if (!other) return;
    const [apartBefore, apart] = [before, point].map(({ x, y }) => Math.hypot(x - other.x, y - other.y));
    on.drag((point.x - before.x) / 2, (point.y - before.y) / 2);
    const middle = { x: (point.x + other.x) / 2, y: (point.y + other.y) / 2 };
    if (apartBefore > 0 && apart > 0) on.zoom(apart / apartBefore, middle);
  }

  target.addEventListener("pointerup", (event) => {
    if (!fingers.delete(event.pointerId) || !start) return;
    const point = at(event);
    if (start.kind !== "pinch" && !start.isFar) {
      if (!start.isOnName) on.click(point, event);
    } else if (start.kind === "rectangle") on.select(boxBetween(start, point));
    if (fingers.size === 0 || start.kind !== "pinch") start = null;
  });

  target.addEventListener("pointercancel", (event) => {
    fingers.delete(event.pointerId);
    if (start?.kind === "rectangle") on.rectangle(null);
    start = null;
  });
  target.addEventListener("pointerleave", () => on.out());
  wheelGestures(target, view, at, on);
}

function boxBetween(one, other) {
  return {
    left: Math.min(one.x, other.x),
    right: Math.max(one.x, other.x),
    top: Math.min(one.y, other.y),
    bottom: Math.max(one.y, other.y),
  };
}

function wheelGestures(target, view, at, on) {
  let last = { time: -Infinity, isOfPage: true };
  const ofPage = (event) => {
    if (!target.contains(event.target)) last = { time: event.timeStamp, isOfPage: true };
  };
  addEventListener("wheel", ofPage, { capture: true, passive: true });

  target.addEventListener(
    "wheel",
    (event) => {
      const isFirst = event.timeStamp - last.time > ONE_MOVEMENT;
      const isOfPage = isFirst ? event.deltaY > 0 && view.isWhole : last.isOfPage;
      last = { time: event.timeStamp, isOfPage: isOfPage && !event.ctrlKey };
      if (last.isOfPage) return;
      event.preventDefault();
      const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? PIXELS_OF_A_LINE : 1);
      const speed = event.ctrlKey ? BY_PINCH_ON_PAD : BY_WHEEL;
      on.zoom(Math.exp(-speed * Math.min(Math.max(pixels, -300), 300)), at(event));
    },
    { passive: false },
  );
}
