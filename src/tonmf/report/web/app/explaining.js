import { ask, ofModel, RequestError } from "./api.js";
import { shortened, whole } from "../shared/format.js";

/** Documents per request: few enough to show progress and to cancel quickly. */
const AT_ONCE = 200;

/** The share of the largest body to fill with documents; the rest is for the JSON around them. */
const FULL = 0.9;

/** Characters of a text to show, as in a report: browsers are slow to lay out a word of a million letters. */
const SHOWN = 20_000;

/** Documents per request for their scores, which the server finds in a tenth of the time that reasons take. */
const SCORED_AT_ONCE = 2000;

/**
 * Have the server explain documents, in batches; return the answers in the same order.
 *
 * @param {object[]} documents ready to be sent.
 * @param {{batch: number, body: number}} limits of the server.
 * @param {object} [more] options of the request; without `pieces` an answer takes a third of the time.
 */
export async function explained(documents, limits, { pieces = true, ...more } = {}) {
  const options = JSON.stringify({ ...more, pieces }).slice(1);
  const answers = [];
  const take = (answer) => answers.push(...answer.documents.map(cutToShow));
  await inBatches(ofModel("/explain"), documents, options, Math.min(AT_ONCE, limits.batch), limits, {}, take);
  return answers;
}

/**
 * Have the server score documents, in batches; return the threshold and the answers in the same order.
 *
 * @param {object[]} documents ready to be sent.
 * @param {{batch: number, body: number}} limits of the server.
 * @param {{signal: AbortSignal, onDone: function(number)}} [during] `onDone` gets the number of documents done.
 * @param {string} [name] of another model than the chosen one.
 */
export async function scored(documents, limits, during = {}, name = null) {
  const answers = [];
  let threshold = 0;
  const take = (answer) => {
    threshold = answer.threshold;
    answers.push(...answer.documents);
  };
  const most = Math.min(SCORED_AT_ONCE, limits.batch);
  await inBatches(ofModel("/score", name), documents, '"topics":true}', most, limits, during, take);
  return { threshold, answers };
}

/** Ask for answers to documents, in batches; `options` is the rest of the JSON of each request, `take` gets each answer. */
async function inBatches(path, documents, options, most, limits, { signal, onDone = () => {} }, take) {
  let done = 0;
  for (const some of stretches(documents, most, FULL * limits.body)) {
    try {
      take(await ask(path, { method: "POST", body: `{"documents":[${some.join(",")}],${options}`, signal }));
    } catch (error) {
      // The server counts documents from the start of each request.
      if (error instanceof RequestError && error.status >= 400 && done > 0) {
        throw new RequestError(`After the first ${whole(done)}: ${error.message}`, error.status);
      }
      throw error;
    }
    done += some.length;
    onDone(done);
  }
}

/** Cut a text that is too long to show; the score and the reasons are still those of the whole text. */
function cutToShow(answer) {
  const length = (answer.pieces ?? []).reduce((sum, piece) => sum + textIn(piece).length, 0);
  if (length <= SHOWN) return answer;
  const pieces = [];
  let room = SHOWN;
  for (const piece of answer.pieces) {
    const text = textIn(piece);
    if (text.length > room) {
      pieces.push(shortened(text, Math.max(room, 2)));
      break;
    }
    pieces.push(piece);
    room -= text.length;
  }
  return { ...answer, pieces, cut: length };
}

function textIn(piece) {
  return typeof piece === "string" ? piece : piece[0];
}

/** Yield batches of documents as JSON, within both limits; a document that is too large comes alone. */
function* stretches(documents, most, mostBytes) {
  const encoder = new TextEncoder();
  let [some, bytes] = [[], 0];
  for (const one of documents) {
    const json = JSON.stringify(one);
    const size = encoder.encode(json).length + 1;
    if (some.length > 0 && (some.length === most || bytes + size > mostBytes)) {
      yield some;
      [some, bytes] = [[], 0];
    }
    some.push(json);
    bytes += size;
  }
  if (some.length > 0) yield some;
}
