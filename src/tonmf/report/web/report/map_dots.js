import { SHAPES } from "../shared/topic_marks.js";

/** Parts of a pixel, in each direction, to which dots are placed. */
const SUBPIXELS = 4;

/** Shapes of marks beside those of topics. */
export const RING = "ring";
export const DISC = "disc";

const MASKS_KEPT = 60;

/**
 * Draws very many small marks, faster than a canvas does: each is a mask that is made once and blended into the pixels.
 *
 *     dots.begin(width, height, ratio);
 *     dots.add(x, y, dots.masks(RING, 5), packed("rgb(196, 50, 28)"), 200);
 *     dots.end(context);
 */
export class MapDots {
  #masks = new Map();
  #images = new Map();

  /** Start a picture of a size in CSS pixels, with so many pixels of the screen for each. */
  begin(width, height, ratio) {
    const margin = 2 * Math.ceil(20 * ratio);
    const [across, down] = [Math.ceil(width * ratio) + margin, Math.ceil(height * ratio) + margin];
    if (this.width !== across || this.height !== down) {
      Object.assign(this, { width: across, height: down, ratio, margin: margin / 2 });
      this.#masks.clear();
      this.image = this.#imageOf(across, down);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    this.pixels.fill(0);
  }

  /** Keep the pictures of two sizes: that of the screen, and the coarse one of a map that moves. */
  #imageOf(across, down) {
    const key = `${across} ${down}`;
    const image = this.#images.get(key) ?? new ImageData(across, down);
    if (this.#images.size > 1) this.#images.clear();
    return this.#images.set(key, image).get(key);
  }

  /**
   * Add a mark at a point; `colour` as `packed` gives it, `opacity` up to 256. Where what is beneath its middle is more opaque
   * than `hidden`, it is left out: among very many, one more would not be seen.
   */
  add(x, y, { masks, reach }, colour, opacity, hidden = 256) {
    const { width, height, pixels, ratio, margin } = this;
    const [right, down] = [x * ratio + margin, y * ratio + margin];
    const [column, row] = [Math.floor(right), Math.floor(down)];
    if (column < reach || row < reach || column >= width - reach || row >= height - reach) return;
    const start = row * width + column;
    if (pixels[start] >>> 24 > hidden) return;
    const [across, below] = [Math.floor((right - column) * SUBPIXELS), Math.floor((down - row) * SUBPIXELS)];
    const { offsets, alphas } = masks[below * SUBPIXELS + across];
    for (let number = 0; number < offsets.length; number++) {
      const alpha = (alphas[number] * opacity) >> 8;
      const at = start + offsets[number];
      const under = pixels[at];
      if (under === 0) {
        pixels[at] = colour | (alpha << 24);
        continue;
      }
      const before = under >>> 24;
      const after = alpha + before - ((alpha * before + 127) / 255 | 0);
      const part = alpha / Math.max(after, 1);
      const red = under & 255;
      const green = (under >> 8) & 255;
      const blue = (under >> 16) & 255;
      pixels[at] =
        (after << 24) |
        ((blue + (((colour >> 16) & 255) - blue) * part) << 16) |
        ((green + (((colour >> 8) & 255) - green) * part) << 8) |
        (red + ((colour & 255) - red) * part);
    }
  }

  /** Copy the picture to a canvas, in place of what is there. */
  end(context) {
    context.putImageData(this.image, -this.margin, -this.margin);
  }

  /** Return the masks of a shape, the number of a topic's or `RING` or `DISC`, with a radius in CSS pixels. */
  masks(shape, radius, line = 1.5) {
    const size = Math.round(radius * this.ratio * 4) / 4;
    const key = `${shape} ${size} ${line}`;
    if (!this.#masks.has(key)) {
      if (this.#masks.size > MASKS_KEPT) this.#masks.clear();
      this.#masks.set(key, masksOf(shape, size, line * this.ratio, this.width));
    }
    return this.#masks.get(key);
  }
}

/** Return a shape's opacity around its middle, for each of the places in a pixel where that may be. */
function masksOf(shape, radius, line, width) {
  const reach = Math.ceil(1.25 * radius + line / 2) + 1;
  const side = 2 * reach + 1;
  const canvas = new OffscreenCanvas(SUBPIXELS * side, SUBPIXELS * side);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  for (let number = 0; number < SUBPIXELS * SUBPIXELS; number++) {
    const [column, row] = [number % SUBPIXELS, Math.floor(number / SUBPIXELS)];
    const [x, y] = [column, row].map((step) => step * side + reach + (step + 0.5) / SUBPIXELS);
    context.setTransform(1, 0, 0, 1, x, y);
    paintShape(context, shape, radius, line);
  }
  const { data } = context.getImageData(0, 0, SUBPIXELS * side, SUBPIXELS * side);
  const masks = Array.from({ length: SUBPIXELS * SUBPIXELS }, (_, number) => {
    const [offsets, alphas] = [[], []];
    const first = (Math.floor(number / SUBPIXELS) * SUBPIXELS * side + (number % SUBPIXELS)) * side;
    for (let row = 0; row < side; row++) {
      for (let column = 0; column < side; column++) {
        const alpha = data[4 * (first + row * SUBPIXELS * side + column) + 3];
        if (alpha > 8) {
          offsets.push((row - reach) * width + column - reach);
          alphas.push(alpha);
        }
      }
    }
    return { offsets: Int32Array.from(offsets), alphas: Uint8Array.from(alphas) };
  });
  return { masks, reach };
}

function paintShape(context, shape, radius, line) {
  if (typeof shape === "number") {
    context.scale(radius, radius);
    context.fill(new Path2D(SHAPES[shape]));
    return;
  }
  context.beginPath();
  context.arc(0, 0, radius, 0, 2 * Math.PI);
  context.lineWidth = line;
  if (shape === RING) context.stroke();
  else context.fill();
}

/** Return a colour as the pixels of a picture have it, without opacity. */
export function packed(colour) {
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  return red | (green << 8) | (blue << 16);
}
