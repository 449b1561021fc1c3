/**
 * Keeps the marks on a report in the browser's storage, under the report's fingerprint.
 *
 * Some browsers have no storage for files, and reports that a server sends have none: `isKept` is then false.
 */
export class MarkStore {
  constructor(fingerprint) {
    this.name = `tonmf-marks-${fingerprint}`;
    this.isKept = true;
  }

  /** Return the stored marks as pairs of id and mark; null if there are none. */
  read() {
    try {
      const pairs = JSON.parse(localStorage.getItem(this.name));
      const isPair = (pair) => Array.isArray(pair) && typeof pair[0] === "string" && ["strange", "fine"].includes(pair[1]);
      return Array.isArray(pairs) && pairs.every(isPair) ? pairs : null;
    } catch {
      this.isKept = false;
      return null;
    }
  }

  write(pairs) {
    try {
      localStorage.setItem(this.name, JSON.stringify(pairs));
      this.isKept = true;
    } catch {
      this.isKept = false;
    }
  }
}
