const ROOM = 34;
const LEAST_MOST = 8;
const MOST_MOST = 80;

/**
 * Which part of the map a window of so many pixels shows.
 *
 * `x` and `y` are the place on the map in the middle of the window, and `zoom` is 1 when the whole map is in it. In a window
 * that is higher than wide a map that is wider than high is turned: its x goes up.
 */
export class MapView {
  constructor({ x, y, judged }) {
    const [left, right] = endsOf(x, judged);
    const [bottom, top] = endsOf(y, judged);
    this.bounds = { x: (left + right) / 2, y: (bottom + top) / 2, width: right - left, height: top - bottom };
    this.most = Math.min(Math.max(Math.sqrt(judged) / 4, LEAST_MOST), MOST_MOST);
    Object.assign(this, { width: 1, height: 1, turned: false, whole: 1 });
    this.show(null);
  }

  layOut(width, height) {
    const { bounds } = this;
    this.turned = width >= height !== bounds.width >= bounds.height;
    const [across, down] = this.turned ? [bounds.height, bounds.width] : [bounds.width, bounds.height];
    const room = Math.min(ROOM, width / 8);
    this.whole = Math.min((width - 2 * room) / across, (height - 2 * room) / down);
    Object.assign(this, { width, height });
    this.show(this);
  }

  /** Pixels for a unit of the map. */
  get scale() {
    return this.whole * this.zoom;
  }

  get isWhole() {
    return this.zoom <= 1;
  }

  /** Show a part, `{x, y, zoom}`, as far as there is a map there; null shows all of it. */
  show(part) {
    const { bounds } = this;
    const { x, y, zoom } = part ?? { ...bounds, zoom: 1 };
    this.zoom = between(zoom, 1, this.most);
    const free = (1 - 1 / this.zoom) / 2;
    this.x = between(x, bounds.x - free * bounds.width, bounds.x + free * bounds.width);
    this.y = between(y, bounds.y - free * bounds.height, bounds.y + free * bounds.height);
  }

  /** Return what is shown as `{x, y, zoom}`, for a link; null for the whole map. */
  get part() {
    if (this.isWhole) return null;
    const digits = 1 + Math.ceil(Math.log10(this.scale));
    return { x: rounded(this.x, digits), y: rounded(this.y, digits), zoom: rounded(this.zoom, 3) };
  }

  toWindow(x, y) {
    const [right, up] = this.turned ? [y - this.y, x - this.x] : [x - this.x, y - this.y];
    return { x: this.width / 2 + this.scale * right, y: this.height / 2 - this.scale * up };
  }

  /** Return whether a place is shown. */
  has(x, y) {
    const point = this.toWindow(x, y);
    return point.x >= 0 && point.y >= 0 && point.x <= this.width && point.y <= this.height;
  }

  toMap({ x, y }) {
    const right = (x - this.width / 2) / this.scale;
    const up = (this.height / 2 - y) / this.scale;
    return this.turned ? { x: this.x + up, y: this.y + right } : { x: this.x + right, y: this.y + up };
  }

  /** Return the part of the map in a rectangle of the window; in all of it, with a margin, by default. */
  boxOf({ left, top, right, bottom } = this.frame(0)) {
    const [one, other] = [this.toMap({ x: left, y: top }), this.toMap({ x: right, y: bottom })];
    return {
      left: Math.min(one.x, other.x),
      right: Math.max(one.x, other.x),
      bottom: Math.min(one.y, other.y),
      top: Math.max(one.y, other.y),
    };
  }

  frame(margin) {
    return { left: -margin, top: -margin, right: this.width + margin, bottom: this.height + margin };
  }

  /** Move the map by pixels of the window. */
  drag(across, down) {
    const { x, y } = this.toMap({ x: this.width / 2 - across, y: this.height / 2 - down });
    this.show({ x, y, zoom: this.zoom });
  }

  /** Return the part that is shown after zooming by a factor, with the map staying where it is under a point. */
  zoomed(factor, point = { x: this.width / 2, y: this.height / 2 }) {
    const zoom = between(this.zoom * factor, 1, this.most);
    const fixed = this.toMap(point);
    const kept = this.zoom / zoom;
    return { x: fixed.x + (this.x - fixed.x) * kept, y: fixed.y + (this.y - fixed.y) * kept, zoom };
  }
}

function endsOf(values, length) {
  let [least, most] = [Infinity, -Infinity];
  for (let place = 0; place < length; place++) {
    if (values[place] < least) least = values[place];
    if (values[place] > most) most = values[place];
  }
  if (length === 0) return [-1, 1];
  const room = Math.max(most - least, 0.1);
  return most - least < room ? [least - room / 2, most + room / 2] : [least, most];
}

function between(value, least, most) {
  return Math.min(Math.max(value, least), most);
}

function rounded(value, digits) {
  return Number(value.toFixed(Math.max(digits, 0)));
}
