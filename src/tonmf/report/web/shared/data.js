/** The label of a document without one, among documents of which some have one. */
export const UNLABELLED = -1;

/** Return the summary, which the page holds as plain JSON. */
export function readSummary() {
  return JSON.parse(document.getElementById("summary").textContent);
}

/** Unpack a part of the data: compressed JSON, base64-encoded. */
export async function readPart(name) {
  const packed = document.querySelector(`script.part[data-name="${name}"]`).textContent;
  const unpacked = new Blob([bytesOf(packed)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(unpacked).json();
}

function bytesOf(letters) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(letters);
  const codes = atob(letters);
  const bytes = new Uint8Array(codes.length);
  for (let place = 0; place < codes.length; place++) bytes[place] = codes.charCodeAt(place);
  return bytes;
}

/**
 * Return the index of all documents as columns in order of rank, with numbers in typed arrays for speed.
 *
 * Documents without words are not judged: they come last, after the `judged` first ones. `first` has the place of the first
 * document that is the same word for word: its own, unless it is a copy.
 *
 * A place stays that of its document when marks change the scores (`rerank`). `order` then has the places in order of score,
 * and `standing` the number of each place in that order.
 */
export function columnsOf(index) {
  const { length } = index.id;
  return {
    length,
    order: Int32Array.from({ length }, (_, place) => place),
    standing: Int32Array.from({ length }, (_, place) => place),
    judged: index.alarm.filter((alarm) => alarm !== "empty").length,
    id: index.id,
    alarm: index.alarm,
    row: Int32Array.from(index.row),
    rank: Int32Array.from(index.rank),
    topic: Int32Array.from(index.topic),
    score: Float64Array.from(index.score),
    reported: Float64Array.from(index.score), // it stays when marks change the scores
    x: Float32Array.from(index.x),
    y: Float32Array.from(index.y),
    label: index.label ? Int8Array.from(index.label, (label) => label ?? UNLABELLED) : null,
    first: Int32Array.from(index.first),
  };
}

/**
 * Documents by their place in the ranking, unpacked on demand.
 *
 * The parts used last are cached, so that paging back and forth is quick and a large corpus does not fill the memory.
 */
export class Documents {
  #parts = new Map();

  constructor(length, partSize, read = readPart, kept = 24) {
    Object.assign(this, { length, partSize, read, kept });
  }

  async at(place) {
    const part = await this.part(Math.floor(place / this.partSize));
    return part[place % this.partSize];
  }

  get n_parts() {
    return Math.ceil(this.length / this.partSize);
  }

  /** Return what can be searched of a part. */
  texts(number) {
    return this.part(number);
  }

  part(number) {
    const part = this.#parts.get(number) ?? this.read(`documents-${number}`);
    this.#parts.delete(number);
    this.#parts.set(number, part);
    if (this.#parts.size > this.kept) this.#parts.delete(this.#parts.keys().next().value);
    return part;
  }
}

/** Return the text of a document; an empty string if there is none. */
export function textOf(shown) {
  return (shown.pieces ?? []).map((piece) => (typeof piece === "string" ? piece : piece[0])).join("");
}
