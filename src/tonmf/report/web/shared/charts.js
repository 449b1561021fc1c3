import { element, oncePerFrame } from "./dom.js";
import { colour, isPrinting, onTheme, onWidth } from "./theme.js";

const FONT = "12px system-ui, sans-serif";

/**
 * A plot with axes from uPlot, and two layers to draw on.
 *
 * `paint(context, chart)` draws the fixed content, under the axes' frame. `mark(context, chart)` draws what follows other parts
 * of the page, on a canvas of its own, and runs again on `remark()`. Both draw in CSS pixels from the top left of the chart.
 * Colours come from the page's styles; everything is redrawn when they or the width change.
 */
export class Chart {
  /**
   * @param {HTMLElement} container whose width the chart takes.
   * @param {object} options `height` in pixels or a function of the width; `x` and `y`: {range, label, format, marks, scale},
   *     where `range` may be a function;
   *     `label`, a description for readers who cannot see the picture; `paint`; `mark`; `lines`: uPlot's series, `data`.
   */
  constructor(container, options) {
    this.options = options;
    this.container = container;
    container.classList.add("chart");
    container.setAttribute("role", "img");
    this.label = options.label;
    this.plot = new uPlot(this.#settings(), options.data ?? [[], []], container);
    this.marks = element("canvas", { class: "marks", "aria-hidden": "true" });
    this.plot.root.querySelector(".u-wrap").append(this.marks);
    this.remark = oncePerFrame(() => this.#mark());
    onWidth(container, () => this.plot.setSize(this.#size()));
    // Redraw at once, because printing does not wait.
    onTheme(() => this.plot.batch(() => this.plot.redraw(false, true)), container);
  }

  /** Draw everything anew after a change of the data and of the ranges. */
  redraw() {
    const { x, y } = this.options;
    this.plot.batch(() => {
      for (const [name, { range }] of [["x", x], ["y", y]]) {
        const [min, max] = rangeOf(range);
        this.plot.setScale(name, { min, max });
      }
      this.plot.redraw(false, true);
    });
  }

  set label(text) {
    if (text) this.container.setAttribute("aria-label", text);
  }

  /** The plotting area without the axes, in CSS pixels from the top left of the chart. */
  get area() {
    const { left, top, width, height } = this.plot.bbox;
    const ratio = uPlot.pxRatio;
    return { left: left / ratio, top: top / ratio, width: width / ratio, height: height / ratio };
  }

  xOf(value) {
    return this.area.left + this.plot.valToPos(value, "x");
  }

  yOf(value) {
    return this.area.top + this.plot.valToPos(value, "y");
  }

  /** Draw on a new canvas as large as the chart, and return it for copying. */
  layer(draw) {
    const { width, height } = this.plot.ctx.canvas;
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    this.#inPixels(canvas.getContext("2d"), draw);
    return canvas;
  }

  #size() {
    const width = Math.max(Math.floor(this.container.clientWidth), 60);
    const { height } = this.options;
    return { width, height: typeof height === "function" ? height(width) : height };
  }

  #settings() {
    const { x, y, lines = [{ show: false }], paint } = this.options;
    return {
      ...this.#size(),
      pxAlign: 0,
      legend: { show: false },
      cursor: { show: false },
      select: { show: false },
      padding: [8, 18, 0, 0],
      scales: { x: scaleOf(x), y: scaleOf(y) },
      axes: [axisOf(x, 2), axisOf(y, 3)],
      series: [{}, ...lines],
      hooks: { drawAxes: [(plot) => this.#inPixels(plot.ctx, paint)], draw: [() => this.#mark()] },
    };
  }

  #inPixels(context, draw) {
    if (!draw) return;
    context.save();
    context.scale(uPlot.pxRatio, uPlot.pxRatio);
    draw(context, this);
    context.restore();
  }

  #mark() {
    const { marks, plot } = this;
    Object.assign(marks, { width: plot.ctx.canvas.width, height: plot.ctx.canvas.height });
    // In print a canvas hides what is beneath it, even where it is empty, so draw on the one below.
    this.#inPixels(isPrinting() ? plot.ctx : marks.getContext("2d"), this.options.mark);
    this.options.onMark?.(this);
  }
}

function rangeOf(range) {
  return typeof range === "function" ? range() : range;
}

function scaleOf({ range, scale }) {
  return {
    time: false,
    auto: false,
    range: () => rangeOf(range),
    ...(scale && { distr: 100, fwd: (value) => scale.forward(value), bwd: (value) => scale.backward(value) }),
  };
}

function axisOf({ label, format = String, marks, size = 40, space = 50 }, side) {
  return {
    side,
    label,
    labelSize: 20,
    labelGap: 2,
    labelFont: FONT,
    font: FONT,
    size: side === 2 ? 26 : size,
    space,
    gap: 4,
    stroke: () => colour("--ink-2"),
    grid: { stroke: () => colour("--grid"), width: 1 },
    ticks: { show: false },
    ...(marks && { splits: (plot, axis, low, high) => marks(low, high), filter: (plot, values) => values }),
    values: (plot, values) => values.map((value) => (value === null ? null : format(value))),
  };
}

/** Draw dots of one colour at positions in pixels: circles if they are large, else squares, which are faster. */
export function paintDots(context, xs, ys, from, to, size) {
  if (size > 3) {
    context.beginPath();
    for (let place = from; place < to; place++) {
      context.moveTo(xs[place] + size / 2, ys[place]);
      context.arc(xs[place], ys[place], size / 2, 0, 2 * Math.PI);
    }
    context.fill();
    return;
  }
  for (let place = from; place < to; place++) context.fillRect(xs[place] - size / 2, ys[place] - size / 2, size, size);
}

/** Draw rings around some documents, in batches: a single long path takes far longer. */
export function paintRings(context, xs, ys, places, radius) {
  for (let start = 0; start < places.length; start += 100) {
    context.beginPath();
    for (const place of places.slice(start, start + 100)) {
      context.moveTo(xs[place] + radius, ys[place]);
      context.arc(xs[place], ys[place], radius, 0, 2 * Math.PI);
    }
    context.stroke();
  }
}

/** Above this number of documents, dots are too small to have a shape, and overlap. */
export const MANY_DOCUMENTS = 20_000;

/** Return the diameter of a dot in pixels, by the number of documents. */
export function dotSize(count) {
  return count > MANY_DOCUMENTS ? 1.8 : count > 3000 ? 2.5 : 5;
}

/** Return the document nearest to a point and at most `reach` pixels away; -1 if there is none. */
export function nearestPlace(xs, ys, x, y, reach) {
  let [found, least] = [-1, reach * reach];
  for (let place = 0; place < xs.length; place++) {
    const distance = (xs[place] - x) ** 2 + (ys[place] - y) ** 2;
    if (distance < least) [found, least] = [place, distance];
  }
  return found;
}
