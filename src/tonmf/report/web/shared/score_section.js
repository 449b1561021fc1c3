import { Chart, MANY_DOCUMENTS, dotSize, nearestPlace, paintDots, paintRings } from "./charts.js";
import { element } from "./dom.js";
import { decimal, isolated, shortened, whole } from "./format.js";
import { hint } from "./hint.js";
import { whenNear } from "./near.js";
import { colour } from "./theme.js";
import { thresholdControl, thresholdLine } from "./threshold.js";

const HEIGHT = 320;
const BINS = 48;
const MANY_FLAGGED = 3000;
const MARK_DISTANCE = 26 / HEIGHT;

/** The scores by document and their distribution, side by side, with one threshold across both. */
export function scoreSection(columns, scores, state, found, reveal) {
  const byDocument = element("div", { class: "by-document" });
  const distribution = element("div", { class: "distribution" });
  whenNear(byDocument, () => {
    documentChart(byDocument, columns, scores, state, reveal);
    distributionChart(distribution, scores, state);
  });
  return element(
    "section",
    { id: "scores", "aria-labelledby": "scores-heading" },
    element("h2", { id: "scores-heading" }, "Scores"),
    thresholdControl(scores, state, found),
    element("div", { class: "score-plots" }, byDocument, distribution),
    element(
      "p",
      { class: "caption" },
      "Left: a dot for each judged document, in input order. Right: how many documents have each score. Higher is stranger; ",
      "high scores are drawn closer together. ",
      element("span", { class: "on-screen" }, "Drag the line to flag more or fewer; click a dot to read its document."),
    ),
  );
}

function scoreAxis(scores) {
  return {
    range: () => scores.range,
    scale: scores,
    marks: (low, high) => scores.marks(low, high, MARK_DISTANCE),
    format: (score) => String(Number(score.toPrecision(3))),
  };
}

/** Add a line at the threshold to a chart, and redraw both as the threshold moves. */
function followThreshold(chart, scores, state, describe) {
  const place = thresholdLine(chart, scores, state);
  chart.options.onMark = () => {
    place();
    chart.label = describe();
  };
  state.on(["threshold", "opened", "panel", "ranked"], (changed) => (changed.includes("ranked") ? chart.redraw() : chart.remark()));
}

/** Dots are drawn and found by their number in the order of scores, so that the flagged ones come first. */
function documentChart(container, columns, scores, state, reveal) {
  const { length, judged } = columns;
  const [xs, ys] = [new Float32Array(judged), new Float32Array(judged)];
  const size = dotSize(length);
  let flaggedDots = null;

  function paint(context, chart) {
    for (let number = 0; number < judged; number++) {
      const place = columns.order[number];
      xs[number] = chart.xOf(columns.row[place] + 1);
      ys[number] = chart.yOf(columns.score[place]);
    }
    context.fillStyle = colour("--dot");
    // Translucent, so that overlapping dots look darker.
    context.globalAlpha = length > MANY_DOCUMENTS ? 0.5 : 1;
    paintDots(context, xs, ys, 0, judged, size);
    flaggedDots = null;
  }

  function mark(context, chart) {
    if (state.flagged > MANY_FLAGGED) paintManyFlagged(context, chart);
    else paintFlagged(context, state.flagged);
    const open = state.panel ?? state.opened;
    if (open === null || open >= judged) return;
    context.strokeStyle = colour("--ink");
    context.lineWidth = 2;
    paintRings(context, xs, ys, [columns.standing[open]], 7);
  }

  function paintFlagged(context, count) {
    context.fillStyle = colour("--accent");
    paintDots(context, xs, ys, 0, count, Math.max(size, 2.5));
  }

  /** Draw all documents as flagged once, then show the part of that picture above the line: faster than dot by dot. */
  function paintManyFlagged(context, chart) {
    const { width, height } = chart.plot;
    flaggedDots ??= chart.layer((layer) => paintFlagged(layer, judged));
    context.save();
    context.beginPath();
    context.rect(0, 0, width, chart.yOf(state.threshold));
    context.clip();
    context.drawImage(flaggedDots, 0, 0, width, height);
    context.restore();
  }

  const edge = Math.max(0.5, length / 100);
  const chart = new Chart(container, {
    height: HEIGHT,
    x: {
      range: [1 - edge, length + edge],
      label: "document, in input order",
      format: (row) => (Number.isInteger(row) ? whole(row) : ""),
      space: 80,
    },
    y: { ...scoreAxis(scores), label: "score" },
    paint,
    mark,
  });
  followThreshold(
    chart,
    scores,
    state,
    () =>
      `Plot of ${whole(judged)} scores, from ${decimal(scores.lowest)} to ${decimal(scores.highest)}; ` +
      `${whole(state.flagged)} are above the threshold of ${decimal(state.threshold)}.`,
  );

  function under(event) {
    const box = container.getBoundingClientRect();
    const number = nearestPlace(xs, ys, event.clientX - box.left, event.clientY - box.top, 12);
    return number < 0 ? number : columns.order[number];
  }
  const { over } = chart.plot;
  over.addEventListener("pointermove", (event) => {
    const place = under(event);
    over.classList.toggle("on-dot", place >= 0);
    hint(place < 0 ? "" : `${isolated(shortened(columns.id[place], 60))}, score ${decimal(columns.score[place])}`, event);
  });
  over.addEventListener("pointerleave", () => hint(""));
  over.addEventListener("click", (event) => {
    const place = under(event);
    if (place >= 0) reveal(place, event);
  });
}

function distributionChart(container, scores, state) {
  let bins = scores.bins(BINS);
  // Before the chart follows, because it reads the counts.
  state.on(["ranked"], () => (bins = scores.bins(BINS)));

  function most() {
    return bins.counts.reduce((one, other) => Math.max(one, other), 1);
  }

  function bars(context, chart) {
    const { edges, counts } = bins;
    const left = chart.xOf(0);
    counts.forEach((count, bin) => {
      if (count === 0) return;
      const [bottom, top] = [chart.yOf(edges[bin]), chart.yOf(edges[bin + 1])];
      // At least two pixels, so that a single document is visible.
      context.fillRect(left, top + 0.5, Math.max(chart.xOf(count) - left, 2), bottom - top - 1);
    });
  }

  function paint(context, chart) {
    context.fillStyle = colour("--dot");
    bars(context, chart);
  }

  function mark(context, chart) {
    const { left, top, width } = chart.area;
    context.beginPath();
    context.rect(left, top, width, Math.max(chart.yOf(state.threshold) - top, 0));
    context.clip();
    context.fillStyle = colour("--accent");
    bars(context, chart);
  }

  const chart = new Chart(container, {
    height: HEIGHT,
    x: {
      range: () => [0, most() * 1.04],
      label: "documents",
      format: (count) => (Number.isInteger(count) ? whole(count) : ""),
      space: 60,
    },
    y: { ...scoreAxis(scores), format: () => "", size: 10 },
    paint,
    mark,
  });
  followThreshold(
    chart,
    scores,
    state,
    () =>
      `Distribution of the scores: half are below ${decimal(scores.quantile(0.5))}, 84 % below ` +
      `${decimal(scores.quantile(0.84))}, and the threshold is ${decimal(state.threshold)}.`,
  );
}
