import { ask, RequestError } from "./api.js";
import { shortened, whole } from "../shared/format.js";

/** Documents per request: few enough to show progress and to cancel quickly. */
const AT_ONCE = 200;

/** The share of the largest body to fill with documents; the rest is for the JSON around them. */
const FULL = 0.9;

/** Characters of a text to show, as in a report: browsers are slow to lay out a word of a million letters. */
const SHOWN = 20_000;

/**
 * Have the server explain documents, in batches; return the answers in the same order.
 *
 * @param {object[]} documents ready to be sent.
 * @param {{batch: number, body: number}} limits of the server.
 * @param {AbortSignal} signal
 * @param {function(number)} onDone gets the number of documents done.
 */
export async function explained(documents, limits, signal, onDone) {
  const answers = [];
  for (const some of stretches(documents, Math.min(AT_ONCE, limits.batch), FULL * limits.body)) {
    try {
      const body = `{"documents":[${some.join(",")}],"pieces":true}`;
      answers.push(...(await ask("/v1/explain", { method: "POST", body, signal })).documents.map(cutToShow));
    } catch (error) {
      // The server counts documents from the start of each request.
      if (error instanceof RequestError && error.status >= 400 && answers.length > 0) {
        throw new RequestError(`After the first ${whole(answers.length)}: ${error.message}`, error.status);
      }
      throw error;
    }
    onDone(answers.length);
  }
  return answers;
}

/** Have the server score documents again, in batches; return the threshold and the scores in the same order. */
export async function scored(documents, limits) {
  const scores = [];
  let threshold = 0;
  for (const some of stretches(documents, limits.batch, FULL * limits.body)) {
    const answer = await ask("/v1/score", { method: "POST", body: `{"documents":[${some.join(",")}]}` });
    threshold = answer.threshold;
    scores.push(...answer.documents.map(({ score }) => score));
  }
  return { threshold, scores };
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
