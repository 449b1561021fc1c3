import { MANY_DOCUMENTS, paintDots, paintRings } from "../shared/charts.js";
import { colour } from "../shared/theme.js";
import { SHAPES, topicColour, topicShape } from "../shared/topic_marks.js";

/** Distance of the outermost document from the centre, as a share of the radius; none is about one topic alone. */
const FILLED = 0.94;

/** Draws judged documents in the colours and shapes of their topics, and marks some of them. */
export class MapCanvas {
  #pictures = new Map();

  constructor(columns) {
    const { judged: length, topic } = columns;
    this.columns = columns;
    this.xs = new Float32Array(length);
    this.ys = new Float32Array(length);
    this.canvas = document.createElement("canvas");
    this.ground = document.createElement("canvas");
    this.radius = length > MANY_DOCUMENTS ? 1.5 : length > 3000 ? 2.2 : 3.6;
    this.farthest = columns.x.reduce((most, x, place) => Math.max(most, Math.hypot(x, columns.y[place])), 0.1);
    // Topic by topic, because changing colours takes time.
    this.order = Int32Array.from(topic.subarray(0, length).keys()).sort((one, other) => topic[one] - topic[other]);
  }

  /** Place and draw all documents, and lines to the topics' names. */
  layOut({ width, height, centre, radius }, labels) {
    const { columns, canvas, ground, xs, ys } = this;
    this.ratio = Math.max(devicePixelRatio, 1);
    this.size = { width, height };
    for (const each of [canvas, ground]) {
      Object.assign(each, { width: width * this.ratio, height: height * this.ratio });
    }
    const zoom = (FILLED * radius) / this.farthest;
    for (let place = 0; place < columns.judged; place++) {
      xs[place] = centre.x + zoom * columns.x[place];
      ys[place] = centre.y - zoom * columns.y[place];
    }
    this.frame = { centre, radius, labels };
    this.paint();
  }

  /** Redraw all documents in place, in the current colours. */
  paint() {
    const { columns } = this;
    this.#pictures = new Map();
    const context = this.#context(this.ground);
    context.globalAlpha = 1;
    this.#paintFrame(context);
    context.globalAlpha = columns.length > MANY_DOCUMENTS ? 0.4 : columns.length > 3000 ? 0.6 : 0.85;
    this.#paintDocuments(context, this.order);
  }

  /** Mark flagged, selected and open documents, and draw the selection rectangle. */
  mark({ flagged, selected, opened }, rectangle) {
    const { canvas, ground, xs, ys, radius } = this;
    const { width, height } = this.size;
    const context = this.#context(canvas);
    context.clearRect(0, 0, width, height);
    context.globalAlpha = selected ? 0.25 : 1;
    context.drawImage(ground, 0, 0, width, height);
    context.globalAlpha = 1;
    const isShown = (place) => !selected || selected[place] === 1;
    if (selected) this.#paintDocuments(context, this.order.filter(isShown));
    context.strokeStyle = colour("--accent");
    context.lineWidth = this.columns.length > MANY_DOCUMENTS ? 0.8 : 1.5;
    paintRings(
      context,
      xs,
      ys,
      this.columns.order.subarray(0, flagged).filter(isShown),
      radius + 2.2,
    );
    if (opened !== null && opened < this.columns.judged) {
      context.strokeStyle = colour("--ink");
      context.lineWidth = 2;
      paintRings(context, xs, ys, [opened], radius + 6);
    }
    if (rectangle) drawRectangle(context, rectangle);
  }

  /** Return the documents in a rectangle as an array of 0 and 1; null if there are none. */
  inside({ left, top, right, bottom }) {
    const { columns, xs, ys } = this;
    const selected = new Uint8Array(columns.length);
    xs.forEach((x, place) => {
      if (x >= left && x <= right && ys[place] >= top && ys[place] <= bottom) selected[place] = 1;
    });
    return selected.includes(1) ? selected : null;
  }

  #context(canvas) {
    const context = canvas.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    return context;
  }

  /** Draw the rim, and lines from it to the names. */
  #paintFrame(context) {
    const { centre, radius, labels } = this.frame;
    context.clearRect(0, 0, this.size.width, this.size.height);
    context.lineWidth = 1;
    context.strokeStyle = colour("--grid");
    paintRings(context, [centre.x], [centre.y], [0], radius);
    context.strokeStyle = colour("--ink-3");
    context.beginPath();
    for (const { rim, x, y } of labels) {
      context.moveTo(rim.x, rim.y);
      context.lineTo(x + Math.sign(centre.x - x) * 4, y);
    }
    context.stroke();
  }

  #paintDocuments(context, places) {
    const { columns, xs, ys, radius } = this;
    for (const place of places) {
      const topic = columns.topic[place];
      if (columns.length > MANY_DOCUMENTS) {
        context.fillStyle = colour(topicColour(topic));
        paintDots(context, xs, ys, place, place + 1, 2 * radius);
      } else this.#copy(context, place, topic);
    }
  }

  /** Draw a shape once and then copy it, which is faster. */
  #copy(context, place, topic) {
    if (!this.#pictures.has(topic)) this.#pictures.set(topic, this.#picture(topic));
    const picture = this.#pictures.get(topic);
    const half = picture.width / this.ratio / 2;
    context.drawImage(picture, this.xs[place] - half, this.ys[place] - half, 2 * half, 2 * half);
  }

  #picture(topic) {
    const side = 2 * Math.ceil(1.25 * this.radius * this.ratio) + 2;
    const picture = Object.assign(document.createElement("canvas"), { width: side, height: side });
    const context = picture.getContext("2d");
    const scale = this.radius * this.ratio;
    context.setTransform(scale, 0, 0, scale, side / 2, side / 2);
    context.fillStyle = colour(topicColour(topic));
    context.fill(new Path2D(SHAPES[topicShape(topic)]));
    return picture;
  }
}

function drawRectangle(context, { left, top, right, bottom }) {
  context.strokeStyle = colour("--ink");
  context.lineWidth = 1;
  context.setLineDash([4, 3]);
  context.strokeRect(left, top, right - left, bottom - top);
  context.setLineDash([]);
}
