/**
 * Scores of judged documents in descending order, the number above a threshold, and the scale on which they are drawn.
 *
 * Most scores are close together and a few are far above. The scale is arsinh(score / width): linear for most scores and
 * logarithmic beyond, so that both are visible.
 */
export class Scores {
  #found;

  /**
   * @param {Float64Array} values perhaps rounded.
   * @param {{threshold: number, flagged: number}} found the model's threshold and the count above it, before rounding; both
   *     may change later.
   */
  constructor(values, found) {
    this.#found = found;
    this.take(values);
    this.width = (this.quantile(0.84) - this.quantile(0.16)) / 2 || 1;
  }

  /** Take on other scores of the same documents. The scale stays, so that what marks did can be compared. */
  take(values) {
    this.values = values;
    this.highest = values[0] ?? 1;
    this.lowest = values[values.length - 1] ?? 0;
  }

  quantile(share) {
    return this.values[Math.round((1 - share) * (this.values.length - 1))] ?? 0;
  }

  /** Return the number of scores above a threshold; as scores descend, these are the first. */
  above(threshold) {
    return threshold === this.#found.threshold ? this.#found.flagged : this.count(threshold);
  }

  /** Count the scores above a threshold, as they are. */
  count(threshold) {
    let [low, high] = [0, this.values.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.values[middle] > threshold) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Map a score to its position on the scale. */
  forward(score) {
    return Math.asinh(score / this.width);
  }

  backward(position) {
    return this.width * Math.sinh(position);
  }

  /**
   * Return how long a score's bar is: 0 at the median and below, 1 at the highest score. Linear up to the model's threshold and
   * logarithmic beyond, so that bars differ both where scores are close and where one is far above all others. Where most
   * documents are flagged, bars begin at the lowest score.
   */
  barOf(score) {
    const { threshold } = this.#found;
    const median = this.quantile(0.5);
    const from = median < threshold ? median : this.lowest;
    const unit = threshold > from ? threshold - from : this.width;
    const lengthOf = (value) => Math.asinh(Math.max(value - from, 0) / unit);
    const longest = lengthOf(this.highest);
    return longest > 0 ? Math.min(lengthOf(score) / longest, 1) : 0;
  }

  /** The range of plots, with a margin; it includes the threshold, which may be above all scores. */
  get range() {
    const lowest = Math.min(this.lowest, this.#found.threshold);
    const highest = Math.max(this.highest, this.#found.threshold);
    const [low, high] = [this.forward(lowest), this.forward(highest)];
    const room = 0.04 * (high - low) || 0.5;
    return [this.backward(low - room), this.backward(high + room)];
  }

  /** Count the scores in bins of equal height on the scale; return the counts and the edges, of which there is one more. */
  bins(count) {
    const [low, high] = this.range.map((score) => this.forward(score));
    const edges = Float64Array.from({ length: count + 1 }, (_, bin) => low + ((high - low) * bin) / count);
    const counts = new Uint32Array(count);
    for (const score of this.values) {
      const bin = Math.floor(((this.forward(score) - low) / (high - low)) * count);
      counts[Math.min(Math.max(bin, 0), count - 1)]++;
    }
    return { edges: edges.map((position) => this.backward(position)), counts };
  }

  /** Return round scores to label an axis with, such as 0, 1, 2, 5 and 10, at least a share `apart` of the axis apart. */
  marks(low, high, apart) {
    const candidates = [0];
    for (let power = -3; power < 7; power++) {
      for (const digit of [1, 2, 5]) candidates.push(digit * 10 ** power, -digit * 10 ** power);
    }
    const inside = candidates.filter((score) => score >= low && score <= high);
    const least = apart * (this.forward(high) - this.forward(low));
    const kept = [];
    // Rounder numbers first: 0, then powers of ten from the largest, then the rest.
    for (const score of inside.sort(
      (one, other) => roundness(other) - roundness(one) || Math.abs(other) - Math.abs(one),
    )) {
      if (kept.every((other) => Math.abs(this.forward(score) - this.forward(other)) >= least)) kept.push(score);
    }
    return kept.sort((one, other) => one - other);
  }
}

function roundness(score) {
  if (score === 0) return 3;
  const digit = Number(Math.abs(score).toExponential()[0]);
  return { 1: 2, 5: 1, 2: 0 }[digit];
}
