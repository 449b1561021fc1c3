/**
 * Rows of documents as a report sends them, and how much two of them have in common: `tonmf.detector.marks.likeness`.
 *
 *     k(x, x') = φ(x) · φ(x')        φ(x) = (y − μ) / ‖y − μ‖
 *
 * μ itself is not needed: of each row y, y · μ is known, and so is ‖μ‖².
 */
export class LikenessRows {
  /**
   * @param {object} packed `lengths` of the rows, their `columns`, each as its distance from the last, their `values` in units
   *     of 1 / `steps`, and `onto_mean`, y · μ.
   * @param {{square: number, nothing_left: number}} rule ‖μ‖², and the norm of y − μ below which a row is the mean row.
   */
  constructor({ steps, n_columns, lengths, columns, values, onto_mean }, { square, nothing_left }) {
    this.n_columns = n_columns;
    this.square = square;
    this.ontoMean = onto_mean;
    this.values = Float64Array.from(values, (value) => value / steps);
    this.starts = new Int32Array(lengths.length + 1);
    lengths.forEach((length, row) => (this.starts[row + 1] = this.starts[row] + length));
    this.columns = Int32Array.from(columns);
    lengths.forEach((_, row) => {
      for (let at = this.starts[row] + 1; at < this.starts[row + 1]; at++) this.columns[at] += this.columns[at - 1];
    });
    this.scales = Float64Array.from(onto_mean, (onto, row) => {
      const norm = Math.sqrt(Math.max(1 - 2 * onto + square, 0));
      return this.isBare(row) || norm <= nothing_left ? 0 : 1 / norm;
    });
  }

  /** Return whether a document has no known term; such documents are like each other, and like no others. */
  isBare(row) {
    return this.starts[row] === this.starts[row + 1];
  }

  /** Return the likeness of two documents. */
  between(row, other) {
    if (this.isBare(row) && this.isBare(other)) return 1;
    const { columns, values, starts, ontoMean, scales, square } = this;
    let [at, there, product] = [starts[row], starts[other], 0];
    while (at < starts[row + 1] && there < starts[other + 1]) {
      if (columns[at] === columns[there]) product += values[at++] * values[there++];
      else if (columns[at] < columns[there]) at++;
      else there++;
    }
    return scales[row] * (product - ontoMean[row] - ontoMean[other] + square) * scales[other];
  }

  /** Return a function from a row to Σ_j weight_j k(row, m_j); its cost does not grow with the number of rows m_j. */
  combined(rows, weights) {
    const { columns, values, starts, ontoMean, scales, square } = this;
    const sum = new Float64Array(this.n_columns);
    let [total, onto, bare] = [0, 0, 0];
    rows.forEach((row, number) => {
      if (this.isBare(row)) bare += weights[number];
      const weight = scales[row] * weights[number];
      total += weight;
      onto += weight * ontoMean[row];
      for (let at = starts[row]; at < starts[row + 1]; at++) sum[columns[at]] += weight * values[at];
    });
    return (row) => {
      if (this.isBare(row)) return bare;
      let product = 0;
      for (let at = starts[row]; at < starts[row + 1]; at++) product += values[at] * sum[columns[at]];
      return scales[row] * (product - ontoMean[row] * total - onto + square * total);
    };
  }
}
