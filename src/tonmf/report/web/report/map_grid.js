const IN_A_CELL = 4;

/** Which documents are near a point of the map, or in a part of it: their places by the cells of a grid. */
export class MapGrid {
  constructor({ x, y, judged }, { x: middle, y: height, width, height: tall }) {
    Object.assign(this, { xs: x, ys: y, length: judged });
    const side = Math.sqrt((width * tall * IN_A_CELL) / Math.max(judged, 1)) || 1;
    Object.assign(this, { side, left: middle - width / 2, bottom: height - tall / 2 });
    this.across = Math.floor(width / side) + 1;
    this.up = Math.floor(tall / side) + 1;
    const cells = new Int32Array(judged);
    this.starts = new Int32Array(this.across * this.up + 1);
    for (let place = 0; place < judged; place++) {
      cells[place] = this.#column(x[place]) + this.across * this.#row(y[place]);
      this.starts[cells[place] + 1]++;
    }
    for (let cell = 0; cell < this.across * this.up; cell++) this.starts[cell + 1] += this.starts[cell];
    const next = this.starts.slice();
    this.places = new Int32Array(judged);
    for (let place = 0; place < judged; place++) this.places[next[cells[place]]++] = place;
  }

  /** Write the documents in a part of the map to an array, cell by cell; return how many there are. */
  within({ left, right, bottom, top }, found) {
    let count = 0;
    for (let row = this.#row(bottom); row <= this.#row(top); row++) {
      const from = this.starts[row * this.across + this.#column(left)];
      const to = this.starts[row * this.across + this.#column(right) + 1];
      for (let number = from; number < to; number++) {
        const place = this.places[number];
        const [x, y] = [this.xs[place], this.ys[place]];
        if (x >= left && x <= right && y >= bottom && y <= top) found[count++] = place;
      }
    }
    return count;
  }

  /** Return the document nearest to a point, at most `reach` away; -1 if there is none. Favoured ones count as half as far. */
  nearest(point, reach, isFavoured = () => false) {
    const { x, y } = point;
    let [found, least] = [-1, reach * reach];
    for (let row = this.#row(y - reach); row <= this.#row(y + reach); row++) {
      const from = this.starts[row * this.across + this.#column(x - reach)];
      const to = this.starts[row * this.across + this.#column(x + reach) + 1];
      for (let number = from; number < to; number++) {
        const place = this.places[number];
        const squared = (this.xs[place] - x) ** 2 + (this.ys[place] - y) ** 2;
        const distance = isFavoured(place) && squared < reach * reach ? squared / 4 : squared;
        if (distance < least) [found, least] = [place, distance];
      }
    }
    return found;
  }

  #column(x) {
    return Math.min(Math.max(Math.floor((x - this.left) / this.side), 0), this.across - 1);
  }

  #row(y) {
    return Math.min(Math.max(Math.floor((y - this.bottom) / this.side), 0), this.up - 1);
  }
}
