/** The summary, which stands in the page as it is. */
export function readSummary() {
  return JSON.parse(document.getElementById("summary").textContent);
}

/** A part of the data, which is packed: compressed JSON in letters. */
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

/** What is known of all documents at once, by column, in order of rank; numbers in arrays that are quick to go through. */
export function columnsOf(index) {
  return {
    length: index.id.length,
    id: index.id,
    alarm: index.alarm,
    row: Int32Array.from(index.row),
    rank: Int32Array.from(index.rank),
    topic: Int32Array.from(index.topic),
    score: Float64Array.from(index.score),
    x: Float32Array.from(index.x),
    y: Float32Array.from(index.y),
    label: index.label ? Uint8Array.from(index.label) : null,
  };
}

/**
 * Documents by their place in the ranking, unpacked as they are asked for.
 *
 * Those used last are kept, so that going back and forth is quick, and a large corpus does not fill the memory.
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

  part(number) {
    const part = this.#parts.get(number) ?? this.read(`documents-${number}`);
    this.#parts.delete(number);
    this.#parts.set(number, part);
    if (this.#parts.size > this.kept) this.#parts.delete(this.#parts.keys().next().value);
    return part;
  }
}

/** The text of a document; nothing if there is none. */
export function textOf(shown) {
  return (shown.pieces ?? []).map((piece) => (typeof piece === "string" ? piece : piece[0])).join("");
}
