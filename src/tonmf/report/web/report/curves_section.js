import { Chart } from "../shared/charts.js";
import { UNLABELLED } from "../shared/data.js";
import { element } from "../shared/dom.js";
import { decimal, percent, whole } from "../shared/format.js";
import { whenNear } from "../shared/near.js";
import { colour } from "../shared/theme.js";

/** The ROC and precision–recall curves against the labels, with the threshold marked on both. */
export function curvesSection({ outliers, roc, precision_recall }, columns, state) {
  let found = foundAmongFirst(columns);
  const counts = () => {
    const [flagged, right] = [found.labelled[state.flagged], found.outliers[state.flagged]];
    return { flagged, right, recall: right / outliers, precision: flagged ? right / flagged : 1 };
  };
  const rocPlot = element("div", { class: "curve" });
  const precisionPlot = element("div", { class: "curve" });
  const status = element("p", { class: "status", role: "status" });
  const marked = element(
    "p",
    { class: "note", hidden: true },
    "The curves are of the scores that the report came with; the points are at what is flagged with your marks.",
  );

  function follow() {
    const { flagged, right, recall, precision } = counts();
    const ofOutliers = `${whole(right)} of ${whole(outliers)} outliers ${right === 1 ? "is" : "are"} flagged`;
    const ofFlagged = `${whole(right)} of ${whole(flagged)} flagged are outliers`;
    status.textContent =
      `At the threshold of ${decimal(state.threshold)}: recall ${percent(recall)} (${ofOutliers}), ` +
      `precision ${flagged ? percent(precision) : "undefined"} (${ofFlagged}).`;
  }
  state.on(["threshold", "ranked"], (changed) => {
    if (changed.includes("ranked")) found = foundAmongFirst(columns);
    marked.hidden = state.ranked === 0;
    follow();
  });
  follow();
  whenNear(rocPlot, () => {
    const n_ordinary = found.labelled[columns.length] - outliers;
    curve(rocPlot, roc, state, {
      names: ["ordinary documents flagged", "outliers flagged (recall)"],
      point: () => [(state.flagged - counts().right) / n_ordinary, counts().recall],
      diagonal: true,
      label: `ROC curve; the area under it is ${decimal(roc.area)}.`,
    });
    curve(precisionPlot, precision_recall, state, {
      names: ["outliers flagged (recall)", "flagged that are outliers (precision)"],
      point: () => [counts().recall, counts().precision],
      label: `Precision–recall curve; average precision is ${decimal(precision_recall.average)}.`,
    });
  });
  return element(
    "section",
    { id: "curves", "aria-labelledby": "curves-heading" },
    element("h2", { id: "curves-heading" }, "Compared with the labels"),
    status,
    marked,
    element(
      "div",
      { class: "curves" },
      element("figure", {}, element("figcaption", {}, `ROC curve, area ${roc.area.toFixed(3)}`), rocPlot),
      element(
        "figure",
        {},
        element("figcaption", {}, `Precision and recall, average precision ${precision_recall.average.toFixed(3)}`),
        precisionPlot,
      ),
    ),
  );
}

/** Count the documents with a label, and the outliers, among the first 0, 1, 2, … documents. */
function foundAmongFirst({ label, order }) {
  const [labelled, outliers] = [new Uint32Array(label.length + 1), new Uint32Array(label.length + 1)];
  order.forEach((place, number) => {
    labelled[number + 1] = labelled[number] + (label[place] === UNLABELLED ? 0 : 1);
    outliers[number + 1] = outliers[number] + (label[place] === 1 ? 1 : 0);
  });
  return { labelled, outliers };
}

function curve(container, { x, y }, state, { names, point, diagonal, label }) {
  const order = x.map((_, place) => place).sort((one, other) => x[one] - x[other]);
  const axis = { range: [-0.02, 1.02], marks: () => [0, 0.25, 0.5, 0.75, 1], format: percent };
  const chart = new Chart(container, {
    height: (width) => Math.min(width, 340),
    x: { ...axis, label: names[0] },
    y: { ...axis, label: names[1], size: 52 },
    data: [order.map((place) => x[place]), order.map((place) => y[place])],
    lines: [{ stroke: () => colour("--line"), width: 2, points: { show: false } }],
    label,
    paint: (context, chart) => diagonal && paintDiagonal(context, chart),
    mark: (context, chart) => paintPoint(context, chart, point()),
  });
  state.on(["threshold", "ranked"], chart.remark);
}

function paintDiagonal(context, chart) {
  context.strokeStyle = colour("--ink-3");
  context.setLineDash([3, 4]);
  context.beginPath();
  context.moveTo(chart.xOf(0), chart.yOf(0));
  context.lineTo(chart.xOf(1), chart.yOf(1));
  context.stroke();
  context.setLineDash([]);
}

function paintPoint(context, chart, [x, y]) {
  context.fillStyle = colour("--accent");
  context.strokeStyle = colour("--paper");
  context.lineWidth = 2;
  context.beginPath();
  context.arc(chart.xOf(x), chart.yOf(y), 6, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
}
