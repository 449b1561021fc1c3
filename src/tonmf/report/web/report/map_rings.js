/**
 * Choose the flagged documents that get a ring: the strangest, and after it each that is not within `apart` of one chosen
 * before. So rings never lie upon one another, however many documents are flagged; the nearer the map, the more have a ring.
 *
 * @param {object} columns
 * @param {number} flagged the number of flagged documents, which are the first in `columns.order`.
 * @param {number} apart the least distance of two rings, in units of the map.
 * @returns {Int32Array} places, the strangest first.
 */
export function ringed({ order, x, y }, flagged, apart) {
  const cells = new Map(); // the chosen in each square of this side
  const chosen = [];
  for (let number = 0; number < flagged; number++) {
    const place = order[number];
    const [column, row] = [Math.floor(x[place] / apart), Math.floor(y[place] / apart)];
    if (isFree(place, column, row)) {
      chosen.push(place);
      const key = keyOf(column, row);
      if (cells.has(key)) cells.get(key).push(place);
      else cells.set(key, [place]);
    }
  }
  return Int32Array.from(chosen);

  function isFree(place, column, row) {
    for (let near = 0; near < 9; near++) {
      const others = cells.get(keyOf(column - 1 + (near % 3), row - 1 + Math.floor(near / 3)));
      if (others?.some((other) => (x[other] - x[place]) ** 2 + (y[other] - y[place]) ** 2 < apart * apart)) return false;
    }
    return true;
  }
}

function keyOf(column, row) {
  return column * 1e6 + row;
}
