const UNREACHABLE = "The server cannot be reached. See whether it still runs, then try again.";
const BROKEN_OFF = "The connection broke off while the file was sent. See whether the server still runs, then try again.";

let unauthorised = () => {};

/** What went wrong with a request, as a sentence for the reader; `status` is 0 if there was no answer. */
export class RequestError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** Call a function when the server asks for a token that it did not get. */
export function onUnauthorised(run) {
  unauthorised = run;
}

/** Whether somebody stopped a request, in which case there is nothing to say. */
export function isCancelled(error) {
  return error.name === "AbortError";
}

/**
 * The server's answer to a request.
 *
 * @param {string} path
 * @param {object} [options] `method`; `body`, JSON as a string; `signal` to stop it.
 * @throws {RequestError} with the server's sentence, or that there is no server; an AbortError if it was stopped.
 */
export async function ask(path, { method = "GET", body, signal } = {}) {
  const headers = body === undefined ? {} : { "Content-Type": "application/json" };
  try {
    const answer = await fetch(path, { method, body, headers, signal });
    return contentOf(answer.status, await answer.text());
  } catch (error) {
    if (error instanceof RequestError || isCancelled(error)) throw error;
    throw new RequestError(UNREACHABLE, 0);
  }
}

/** Send a file as it is. Unlike `fetch` this tells how much of it is on its way: `onProgress` gets the share. */
export function sendFile(path, file, { signal, onProgress }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 1));
    request.addEventListener("error", () => reject(new RequestError(BROKEN_OFF, 0)));
    request.addEventListener("abort", () => reject(new DOMException("stopped", "AbortError")));
    request.addEventListener("load", () => {
      try {
        resolve(contentOf(request.status, request.responseText));
      } catch (error) {
        reject(error);
      }
    });
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

/** What an answer holds; an error if it says that something is wrong. */
function contentOf(status, text) {
  let content = null;
  try {
    content = text === "" ? null : JSON.parse(text);
  } catch {
    if (status < 400) throw new RequestError("The server’s answer cannot be read. Load this page again.", status);
  }
  if (status < 400) return content;
  const error = new RequestError(content?.error ?? `The server answered with an error, ${status}.`, status);
  if (status === 401) unauthorised();
  throw error;
}
