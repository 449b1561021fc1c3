import { element } from "./dom.js";
import { decimal, flaggedOf } from "./format.js";

const STEPS = 1000;

/** The rule of the automatic threshold; a test compares its number with `WIDTHS` in Python. */
const RULE = "median + 2.2 (P84 − median)";

/** Return "score above 1.94, the automatic threshold", or the share that was asked for. */
export function flaggedIf({ threshold, contamination }) {
  const reason =
    typeof contamination === "number"
      ? `so that ${Number((100 * contamination).toPrecision(6))} % of the training documents are`
      : "the automatic threshold";
  return `score above ${decimal(threshold)}, ${reason}`;
}

/** The rule of the automatic threshold, for readers who ask. */
function thresholdRule() {
  return element(
    "details",
    { class: "threshold-rule" },
    element("summary", {}, "How the threshold is set"),
    element(
      "p",
      { class: "note" },
      `The automatic threshold is ${RULE} of the scores of the training documents, where P84 is their 84th percentile. `,
      "A few outliers hardly move it. It is higher if there are few documents, or if more than 5 % would be above it.",
    ),
  );
}

/**
 * A number field, a slider and a reset button for the threshold, and the number of documents above it.
 *
 * @param {{threshold: number, contamination: (number|string), documents: number}} found the model's threshold, which "Reset"
 *     restores, and the number of all documents.
 */
export function thresholdControl(scores, state, found) {
  // At least two decimals, as everywhere else.
  const places = Math.max(2, -Math.round(Math.log10(scores.width / 50)));
  const ends = () => scores.range.map((score) => scores.forward(score));
  const number = element("input", {
    type: "number",
    id: "threshold",
    step: 10 ** -places,
    input: () => take(number.valueAsNumber),
  });
  const slider = element("input", {
    type: "range",
    "aria-label": "Threshold, as a slider",
    min: 0,
    max: STEPS,
    step: 1,
    input: slide,
  });
  const reset = element("button", { type: "button", click: () => state.set({ threshold: found.threshold }) }, "Reset");
  const count = element("output", { class: "flagged-count", for: "threshold", "aria-live": "polite" });

  function slide() {
    const [low, high] = ends();
    const position = low + ((high - low) * slider.valueAsNumber) / STEPS;
    // Few digits, because the threshold is part of the page's address.
    take(Number(scores.backward(position).toFixed(places + 1)));
  }

  function take(threshold) {
    if (Number.isFinite(threshold)) state.set({ threshold });
  }

  function follow() {
    const { threshold } = state;
    const [low, high] = ends();
    if (document.activeElement !== number || number.valueAsNumber !== threshold)
      number.value = threshold.toFixed(places);
    slider.value = Math.round(((scores.forward(threshold) - low) / (high - low)) * STEPS);
    slider.setAttribute("aria-valuetext", decimal(threshold));
    reset.disabled = threshold === found.threshold;
    count.textContent = flaggedOf(state.flagged, found.documents);
  }
  state.on(["threshold", "ranked"], follow);
  follow();
  return element(
    "div",
    { class: "threshold-control controls" },
    element("label", { for: "threshold" }, "Threshold"),
    number,
    slider,
    reset,
    count,
    typeof found.contamination !== "number" && thresholdRule(),
  );
}

/** The threshold as a line to drag, across a chart with scores on its y axis; return a function that places it. */
export function thresholdLine(chart, scores, state) {
  const line = element("div", {
    class: "threshold-line",
    "aria-hidden": "true",
    pointerdown: grab,
    pointermove: drag,
    pointerup: release,
    pointercancel: release,
  });
  chart.plot.root.querySelector(".u-wrap").append(line);

  function grab(event) {
    event.preventDefault();
    line.setPointerCapture(event.pointerId);
    line.classList.add("dragged");
  }

  function drag(event) {
    if (!line.classList.contains("dragged")) return;
    const { top, height } = chart.container.getBoundingClientRect();
    const { area, plot } = chart;
    const y = (event.clientY - top) * (plot.height / height) - area.top;
    const threshold = plot.posToVal(Math.min(Math.max(y, 0), area.height), "y");
    state.set({ threshold: Number(threshold.toPrecision(3)) });
  }

  function release(event) {
    line.releasePointerCapture(event.pointerId);
    line.classList.remove("dragged");
  }

  return () => {
    const { area, plot } = chart;
    const [low, high] = scores.range;
    const y = chart.yOf(Math.min(Math.max(state.threshold, low), high));
    // Percentages, so that the line stays in place when the chart is printed smaller.
    line.style.setProperty("top", `${(100 * y) / plot.height}%`);
    line.style.setProperty("left", `${(100 * area.left) / plot.width}%`);
    line.style.setProperty("width", `${(100 * area.width) / plot.width}%`);
  };
}
