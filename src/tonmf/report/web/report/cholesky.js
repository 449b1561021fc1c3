/**
 * Solve (K + λ I) x = right for a symmetric positive semi-definite K, by its Cholesky factor L: L Lᵀ = K + λ I.
 *
 * @param {function(number, number): number} entry of K, for row ≥ column.
 * @param {number} noise λ, above 0.
 * @param {number[]} right
 * @returns {Float64Array}
 */
export function solveCholesky(entry, noise, right) {
  const length = right.length;
  const factor = Array.from({ length }, (_, row) => new Float64Array(row + 1));
  const x = Float64Array.from(right);
  for (let row = 0; row < length; row++) {
    const current = factor[row];
    for (let column = 0; column <= row; column++) {
      const other = factor[column];
      let rest = entry(row, column) + (row === column ? noise : 0);
      for (let k = 0; k < column; k++) rest -= current[k] * other[k];
      current[column] = row === column ? Math.sqrt(rest) : rest / other[column];
    }
    for (let k = 0; k < row; k++) x[row] -= current[k] * x[k];
    x[row] /= current[row];
  }
  for (let row = length - 1; row >= 0; row--) {
    x[row] /= factor[row][row];
    for (let k = 0; k < row; k++) x[k] -= factor[row][k] * x[row];
  }
  return x;
}
