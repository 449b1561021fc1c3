/**
 * Scores in descending order, and what follows from a threshold.
 *
 * Most scores are close together and a few are far above. They are drawn by arsinh(score / width), which is even among the most
 * and logarithmic beyond, so that both can be seen.
 */
export class Scores {
  #found;

  /** @param {{threshold: number, flagged: number}} found what was found with all digits; scores here may be rounded. */
  constructor(values, found) {
    this.values = values;
    this.#found = found;
    this.highest = values[0] ?? 1;
    this.lowest = values[values.length - 1] ?? 0;
    this.width = (this.quantile(0.84) - this.quantile(0.16)) / 2 || 1;
  }

  quantile(share) {
    return this.values[Math.round((1 - share) * (this.values.length - 1))] ?? 0;
  }

  /** How many are above a threshold: so many of the first. */
  above(threshold) {
    if (threshold === this.#found.threshold) return this.#found.flagged;
    let [low, high] = [0, this.values.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.values[middle] > threshold) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Where a score is drawn, evenly. */
  forward(score) {
    return Math.asinh(score / this.width);
  }

  backward(position) {
    return this.width * Math.sinh(position);
  }

  /** The scores between which plots reach, with some room; a threshold can be drawn above all. */
  get range() {
    const lowest = Math.min(this.lowest, this.#found.threshold);
    const highest = Math.max(this.highest, this.#found.threshold);
    const [low, high] = [this.forward(lowest), this.forward(highest)];
    const room = 0.04 * (high - low) || 0.5;
    return [this.backward(low - room), this.backward(high + room)];
  }

  /** How many scores are in each of some bins, which are equally high where they are drawn; and the edges, one more. */
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

  /** Round scores for the marks of an axis: 0, 1, 2, 5, 10 and so on, those that are drawn apart by more than a share. */
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
