import { colour } from "../shared/theme.js";
import { topicColour } from "../shared/topic_marks.js";
import { packed } from "./map_dots.js";

const LAND_CELLS = 180;
const LAND_ROOM = 0.08;

/** Widths of the blur, in distances between documents if they were spread evenly. */
const BLUR = 0.75;

/** The density at the line around the documents, as a share of the even one. */
const AT_LINE = 0.35;

/** How many documents there are around each point of the map, as ground to draw them on, tinted by their topics. */
export class MapLand {
  constructor({ x, y, topic, judged }, bounds) {
    const wide = Math.max(bounds.width, bounds.height);
    this.cell = (wide * (1 + 2 * LAND_ROOM)) / LAND_CELLS;
    this.left = bounds.x - bounds.width / 2 - LAND_ROOM * wide;
    this.bottom = bounds.y - bounds.height / 2 - LAND_ROOM * wide;
    this.across = Math.ceil((bounds.width + 2 * LAND_ROOM * wide) / this.cell) + 1;
    this.up = Math.ceil((bounds.height + 2 * LAND_ROOM * wide) / this.cell) + 1;
    const apart = Math.sqrt((bounds.width * bounds.height) / Math.max(judged, 1)) / this.cell;
    const reach = Math.min(Math.max(Math.round(BLUR * apart), 1), 12);
    this.even = judged / ((bounds.width * bounds.height) / this.cell ** 2);
    const cells = new Int32Array(judged);
    for (let place = 0; place < judged; place++) {
      const column = Math.floor((x[place] - this.left) / this.cell);
      cells[place] = column + this.across * Math.floor((y[place] - this.bottom) / this.cell);
    }
    const length = this.across * this.up;
    const counts = new Map();
    for (let place = 0; place < judged; place++) {
      if (topic[place] === 0) continue;
      const name = topicColour(topic[place]);
      if (!counts.has(name)) counts.set(name, new Float32Array(length));
      counts.get(name)[cells[place]]++;
    }
    this.densities = [...counts].map(([name, count]) => [name, blurred(count, this.across, this.up, reach)]);
    this.density = new Float32Array(length);
    for (const [, density] of this.densities) density.forEach((value, cell) => (this.density[cell] += value));
    this.line = outline(this.density, this.across, this.up, AT_LINE * this.even);
    this.tint();
  }

  /** Make the picture of the ground in the current colours. */
  tint() {
    const { across, up, density, even } = this;
    const image = new ImageData(across, up);
    const colours = this.densities.map(([name, values]) => [packed(colour(name)), values]);
    for (let cell = 0; cell < density.length; cell++) {
      if (density[cell] < 1e-6) continue;
      const sums = [0, 0, 0];
      for (const [rgb, values] of colours) {
        for (const part of [0, 1, 2]) sums[part] += (values[cell] / density[cell]) * ((rgb >> (8 * part)) & 255);
      }
      // The first row of a picture is its top.
      const at = 4 * ((up - 1 - Math.floor(cell / across)) * across + (cell % across));
      image.data.set([...sums, 62 * (1 - Math.exp(-density[cell] / even))], at);
    }
    this.picture = new OffscreenCanvas(across, up);
    this.picture.getContext("2d").putImageData(image, 0, 0);
  }

  /** Draw it on a canvas beneath what is there. */
  paint(context, view, ratio) {
    const { cell, left, bottom, across, up } = this;
    const { scale, turned } = view;
    const corner = view.toWindow(left, bottom);
    context.save();
    context.globalCompositeOperation = "destination-over";
    // From cells, upwards and to the right, to pixels of the screen.
    const unit = cell * scale * ratio;
    if (turned) context.setTransform(0, -unit, unit, 0, corner.x * ratio, corner.y * ratio);
    else context.setTransform(unit, 0, 0, -unit, corner.x * ratio, corner.y * ratio);
    context.lineWidth = ratio / unit;
    context.strokeStyle = colour("--ink-3");
    context.globalAlpha = 0.5;
    context.stroke(this.line);
    context.globalAlpha = 1;
    context.imageSmoothingQuality = "low"; // the picture is smooth, and this takes half the time
    context.scale(1, -1);
    context.drawImage(this.picture, 0, -up, across, up);
    context.restore();
  }
}

/** Blur counts by three running means in each direction, which is close to a bell curve. */
function blurred(counts, across, up, reach) {
  let [from, to] = [counts, new Float32Array(counts.length)];
  for (let pass = 0; pass < 3; pass++) {
    meansAlong(from, to, across, up, 1, across, reach);
    meansAlong(to, from, up, across, across, 1, reach);
  }
  return from;
}

function meansAlong(from, to, length, lines, step, next, reach) {
  for (let line = 0; line < lines; line++) {
    const start = line * next;
    let sum = 0;
    for (let cell = -reach; cell < length; cell++) {
      if (cell + reach < length) sum += from[start + (cell + reach) * step];
      if (cell > reach) sum -= from[start + (cell - reach - 1) * step];
      if (cell >= 0) to[start + cell * step] = sum / (2 * reach + 1);
    }
  }
}

/** Return the line around all cells above a level, as marching squares find it; a cell's value is that in its middle. */
function outline(density, across, up, level) {
  const path = new Path2D();
  for (let row = 0; row < up - 1; row++) {
    for (let column = 0; column < across - 1; column++) {
      const at = row * across + column;
      const corners = [density[at], density[at + 1], density[at + across + 1], density[at + across]];
      const above = corners.map((value) => value > level);
      if (above.every((one) => one === above[0])) continue;
      const crossings = [];
      for (let side = 0; side < 4; side++) {
        const next = (side + 1) % 4;
        if (above[side] === above[next]) continue;
        const part = (level - corners[side]) / (corners[next] - corners[side]);
        const [[x, y], [xNext, yNext]] = [CORNERS[side], CORNERS[next]];
        crossings.push([column + 0.5 + x + part * (xNext - x), row + 0.5 + y + part * (yNext - y)]);
      }
      for (let number = 0; number < crossings.length; number += 2) {
        path.moveTo(...crossings[number]);
        path.lineTo(...crossings[number + 1]);
      }
    }
  }
  return path;
}

const CORNERS = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
];
