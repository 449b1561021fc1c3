/** Criteria that every document meets. */
export const ALL = {
  show: "all",
  topic: null,
  alarm: null,
  group: null,
  label: null,
  selected: null,
  mark: null,
  query: "",
  matches: null,
};

/** The sort orders and their names. */
export const ORDERS = { rank: "Rank", row: "Input order", id: "Id", topic: "Topic" };

const COLLATOR = new Intl.Collator(undefined, { numeric: true });

/**
 * Chooses and sorts the documents to list.
 *
 * A document is a number, its place in the report's ranking, counted from 0. `selected` and `matches` are sets of documents:
 * arrays with a 0 or 1 for each. `mark` is "strange", "fine" or "none".
 */
export class Choice {
  #orders = new Map();

  /** @param {function(number): (string|null)} markOf returns the mark on a document. */
  constructor(columns, groups, markOf = () => null) {
    this.columns = columns;
    this.markOf = markOf;
    this.groups = groups.map(({ documents }) => membersOf(documents, columns.length));
  }

  places(criteria) {
    const tests = this.#tests(criteria);
    const places = this.#order(criteria.sort).filter((place) => tests.every((test) => test(place)));
    return criteria.descending ? places.reverse() : places;
  }

  /** Forget the orders by earlier scores. */
  rerank() {
    this.#orders.clear();
  }

  #tests({ show, flagged, topic, alarm, group, label, mark, selected, matches }) {
    const { columns } = this;
    return [
      show === "flagged" && ((place) => columns.standing[place] < flagged),
      show === "not flagged" && ((place) => columns.standing[place] >= flagged && place < columns.judged),
      show === "not judged" && ((place) => place >= columns.judged),
      topic !== null && ((place) => columns.topic[place] === topic),
      alarm !== null && ((place) => columns.alarm[place] === alarm),
      group !== null && ((place) => this.groups[group][place] === 1),
      label !== null && ((place) => columns.label[place] === label),
      mark !== null && ((place) => (this.markOf(place) ?? "none") === mark),
      selected !== null && ((place) => selected[place] === 1),
      matches !== null && ((place) => matches[place] === 1),
    ].filter(Boolean);
  }

  #order(name) {
    if (!this.#orders.has(name)) {
      const column = this.columns[name];
      const places = this.columns.order.slice();
      // Ties stay in order of rank: sorting is stable.
      if (name === "id") places.sort((one, other) => COLLATOR.compare(column[one], column[other]));
      else if (name !== "rank") places.sort((one, other) => column[one] - column[other]);
      this.#orders.set(name, places);
    }
    return this.#orders.get(name);
  }
}

/** Return the size of such a set; 0 for null. */
export function sizeOf(set) {
  return set === null ? 0 : set.reduce((sum, one) => sum + one, 0);
}

function membersOf(ranks, length) {
  const members = new Uint8Array(length);
  for (const rank of ranks) members[rank - 1] = 1;
  return members;
}
