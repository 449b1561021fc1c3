import { colour } from "../shared/theme.js";
import { SHAPES, topicColour, topicShape } from "../shared/topic_marks.js";
import { DISC, MapDots, RING, packed } from "./map_dots.js";
import { MapGrid } from "./map_grid.js";
import { MapLand } from "./map_land.js";
import { ringed } from "./map_rings.js";

/** Radius of a dot, as a share of the distance between dots if they were spread evenly, and its limits in pixels. */
const PART = 0.17;
const [SMALLEST, LARGEST] = [1.05, 4.4];

/** Width of a window in pixels from which on dots may have the largest radius. */
const WIDE = 1000;

/** Distance of a ring from its dot in pixels, and of the middles of two rings in diameters. */
const AWAY = 2.6;
const APART = 1.6;

/** Share of its opacity that a dot keeps which is not among the selected ones. */
const FAINT = 0.16;

/** Least radius of a dot in a ring, in pixels. */
const LEAST_RINGED = 1.7;

/** With more dots than this in the window, a map that moves is drawn at less than the resolution of the screen. */
const MANY_DOTS = 20_000;

/** Rings are chosen anew whenever the map is larger or smaller by this factor. */
const RINGS_AT = Math.SQRT2;

/** Draws judged documents in the colours and shapes of their topics, and rings around flagged ones. */
export class MapCanvas {
  #dots = new MapDots();
  #rings = { key: null, places: new Int32Array(0) };

  constructor(columns, view) {
    this.columns = columns;
    this.view = view;
    this.canvas = document.createElement("canvas");
    this.grid = new MapGrid(columns, view.bounds);
    this.land = new MapLand(columns, view.bounds);
    this.visible = new Int32Array(columns.judged);
    this.recolour();
  }

  /** Take up the current colours. */
  recolour() {
    const { topic } = this.columns;
    const last = topic.reduce((one, other) => Math.max(one, other), 0);
    this.colours = Array.from({ length: last + 1 }, (_, number) => packed(colour(topicColour(number))));
    this.accent = packed(colour("--accent"));
    this.paper = packed(colour("--paper-2"));
    this.land.tint();
  }

  /** Radius of a dot in pixels; dots grow as the map is zoomed, but slower than it. */
  get radius() {
    const { view, columns } = this;
    const apart = Math.sqrt((view.width * view.height) / Math.max(columns.judged, 1));
    const largest = LARGEST * Math.min(Math.sqrt(view.width / WIDE), 1);
    const whole = Math.min(Math.max(PART * apart, SMALLEST), largest);
    return Math.min(whole * view.zoom ** 0.4, 1.6 * largest);
  }

  /**
   * Draw what the view shows.
   *
   * @param {object} state `flagged` documents have rings, and if some are `selected` the others are faint.
   * @param {boolean} isMoving a map of many documents is then drawn coarser, to be in time for the next frame.
   */
  paint({ flagged, selected, ranked }, isMoving) {
    const { columns, view, visible, canvas, radius } = this;
    const count = this.grid.within(view.boxOf(view.frame(20)), visible);
    const sharp = Math.min(Math.max(devicePixelRatio, 1), 2);
    const ratio = isMoving && count > MANY_DOTS ? 1 : sharp;
    this.isCoarse = ratio < sharp;
    const [width, height] = [view.width * ratio, view.height * ratio].map(Math.ceil);
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    this.#dots.begin(view.width, view.height, ratio);
    this.#paintDots(visible, count, radius, selected);
    this.#paintFlagged(this.ringsOf(flagged, ranked), radius, selected);
    const context = canvas.getContext("2d");
    this.#dots.end(context);
    this.land.paint(context, view, ratio);
  }

  /** Return the flagged documents that have a ring at this zoom. */
  ringsOf(flagged, ranked) {
    const level = Math.round(Math.log(this.view.scale) / Math.log(RINGS_AT));
    const key = `${level} ${flagged} ${ranked}`;
    if (this.#rings.key !== key) {
      const apart = (APART * 2 * (Math.max(this.radius, LEAST_RINGED) + AWAY)) / RINGS_AT ** level;
      this.#rings = { key, places: ringed(this.columns, flagged, apart) };
    }
    return this.#rings.places;
  }

  /** Return where rings are in the window, unless there are more than so many. */
  ringsInView(most) {
    const { columns, view } = this;
    const inView = this.#rings.places.filter((place) => view.has(columns.x[place], columns.y[place]));
    return inView.length > most ? [] : Array.from(inView, (place) => view.toWindow(columns.x[place], columns.y[place]));
  }

  /** Draw the first `count` of some places. A loop over numbers: this is what takes the time of a frame. */
  #paintDots(places, count, radius, selected) {
    const { columns, colours, view } = this;
    const { topic } = columns;
    const { scale, turned, width, height } = view;
    const [xs, ys] = turned ? [columns.y, columns.x] : [columns.x, columns.y];
    const [left, top] = turned
      ? [width / 2 - scale * view.y, height / 2 + scale * view.x]
      : [width / 2 - scale * view.x, height / 2 + scale * view.y];
    const shapes = SHAPES.map((_, shape) => this.#dots.masks(shape, radius));
    const masks = colours.map((_, number) => shapes[topicShape(number)]);
    const opacity = radius < 1.5 ? 150 : radius < 2.5 ? 200 : 235;
    const hidden = radius < 1.5 ? 215 : 256;
    for (let number = 0; number < count; number++) {
      const place = places[number];
      const own = topic[place];
      const seen = selected !== null && selected[place] === 0 ? opacity * FAINT : opacity;
      this.#dots.add(left + scale * xs[place], top - scale * ys[place], masks[own], colours[own], seen, hidden);
    }
  }

  /** Draw flagged documents over all others: each on a clear ground, with a ring. */
  #paintFlagged(places, radius, selected) {
    const { columns, view } = this;
    const inner = Math.max(radius, LEAST_RINGED);
    const clear = this.#dots.masks(DISC, inner + AWAY);
    const ring = this.#dots.masks(RING, inner + AWAY, inner < 2.5 ? 1.3 : 2);
    const dots = SHAPES.map((_, shape) => this.#dots.masks(shape, inner));
    for (const place of places) {
      const { x, y } = view.toWindow(columns.x[place], columns.y[place]);
      const opacity = !selected || selected[place] ? 256 : 40;
      this.#dots.add(x, y, clear, this.paper, opacity * 0.8);
      this.#dots.add(x, y, dots[topicShape(columns.topic[place])], this.colours[columns.topic[place]], opacity);
      this.#dots.add(x, y, ring, this.accent, opacity);
    }
  }

  /** Return the document under a point of the window; -1 if there is none. */
  at(point, reach, flagged) {
    const { standing } = this.columns;
    return this.grid.nearest(this.view.toMap(point), reach / this.view.scale, (place) => standing[place] < flagged);
  }

  /** Return the nearest document to the right of another, or in another direction by the signs of one step; -1 without any. */
  towards(from, across, down) {
    if (from < 0) return -1;
    const { columns, view } = this;
    const start = view.toWindow(columns.x[from], columns.y[from]);
    let [found, least] = [-1, Infinity];
    for (let place = 0; place < columns.judged; place++) {
      const { x, y } = view.toWindow(columns.x[place], columns.y[place]);
      const along = (x - start.x) * across + (y - start.y) * down;
      const aside = Math.abs((x - start.x) * down) + Math.abs((y - start.y) * across);
      const distance = along + 2 * aside;
      if (along > 0.5 && distance < least) [found, least] = [place, distance];
    }
    return found;
  }

  /** Return the documents in view. */
  shown() {
    return this.visible.slice(0, this.grid.within(this.view.boxOf(), this.visible));
  }

  /** Return the documents in a rectangle, by default the window, as an array of 0 and 1; null if there are none. */
  inside(rectangle = this.view.frame(0)) {
    const count = this.grid.within(this.view.boxOf(rectangle), this.visible);
    if (count === 0) return null;
    const selected = new Uint8Array(this.columns.length);
    for (const place of this.visible.subarray(0, count)) selected[place] = 1;
    return selected;
  }
}
