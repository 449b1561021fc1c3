import { ask, RequestError } from "./api.js";
import { shortened, whole } from "../shared/format.js";

/** Documents that are sent at once: few enough to show progress and to stop soon. */
const AT_ONCE = 200;

/** The share of the largest body that is used, which leaves room for what is around the documents. */
const FULL = 0.9;

/** Characters of a text that are shown, as in a report: browsers take long to lay out a word of a million letters. */
const SHOWN = 20_000;

/**
 * Documents as the model explains them, in the same order, some at a time.
 *
 * @param {object[]} documents ready to be sent.
 * @param {{batch: number, body: number}} limits of the server.
 * @param {AbortSignal} signal
 * @param {function(number)} onDone gets how many are done.
 */
export async function explained(documents, limits, signal, onDone) {
  const answers = [];
  for (const some of stretches(documents, Math.min(AT_ONCE, limits.batch), FULL * limits.body)) {
    try {
      const body = `{"documents":[${some.join(",")}],"pieces":true}`;
      answers.push(...(await ask("/v1/explain", { method: "POST", body, signal })).documents.map(cutToShow));
    } catch (error) {
      // The server counts from the first that it got.
      if (error instanceof RequestError && error.status >= 400 && answers.length > 0) {
        throw new RequestError(`After the first ${whole(answers.length)}: ${error.message}`, error.status);
      }
      throw error;
    }
    onDone(answers.length);
  }
  return answers;
}

/** A document with its text cut, if it is too long to be shown; its score and its reasons are of all of it. */
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

/** Documents as JSON, so many at a time that neither number nor bytes are too large; one that is too large comes alone. */
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
