const waiting = new Map();

const observer = new IntersectionObserver(
  (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => start(entry.target)),
  { rootMargin: "300px" },
);

function start(target) {
  const run = waiting.get(target);
  waiting.delete(target);
  observer.unobserve(target);
  run?.();
}

/** Run something slow once an element is about to be seen, or printed. */
export function whenNear(target, run) {
  waiting.set(target, run);
  observer.observe(target);
}

/** Wrap a function so that it runs at once while an element is visible; otherwise defer the call until it becomes visible. */
export function whileNear(target, run) {
  let isNear = true;
  let isWaiting = false;
  const seen = new IntersectionObserver(([entry]) => {
    isNear = entry.isIntersecting;
    if (isNear && isWaiting) call();
  });
  seen.observe(target);
  function call() {
    isWaiting = !isNear && !matchMedia("print").matches;
    if (!isWaiting) run();
  }
  return call;
}

/** Draw everything above an element at once: what is drawn later may have another height, and move what a link leads to. */
export function drawAbove(target) {
  for (const place of [...waiting.keys()]) {
    if (place.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING) start(place);
  }
}

function startAll() {
  for (const target of [...waiting.keys()]) start(target);
}

addEventListener("beforeprint", startAll);
matchMedia("print").addEventListener("change", startAll);
