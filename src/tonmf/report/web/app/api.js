const UNREACHABLE = "The server cannot be reached. Check that it is running, then try again.";
const BROKEN_OFF = "The connection was lost while the file was being sent. Check that the server is running, then try again.";

let unauthorised = () => {};

/** A failed request, with a message for the reader; `status` is 0 if there was no answer. */
export class RequestError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** Call a function whenever the server asks for a token. */
export function onUnauthorised(run) {
  unauthorised = run;
}

let chosen = "";

/** Choose the model that `ofModel` means, by its name; null for the one that is served. */
export function chooseModel(name) {
  chosen = name === null ? "" : `/models/${encodeURIComponent(name)}`;
}

/** Return the address of a part of the chosen model, such as "/score"; of another one if its name is given. */
export function ofModel(part, name = null) {
  return `/v1${name === null ? chosen : `/models/${encodeURIComponent(name)}`}${part}`;
}

/** Return whether the reader cancelled the request, which needs no message. */
export function isCancelled(error) {
  return error.name === "AbortError";
}

/**
 * Send a request and return the server's answer.
 *
 * @param {string} path
 * @param {object} [options] `method`; `body`, JSON as a string; `signal` to cancel it.
 * @throws {RequestError} with the server's message, or one that the server cannot be reached; an AbortError if cancelled.
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

/** Upload a file as it is; `onProgress` gets the share sent, which `fetch` cannot report. */
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

/** Return the content of an answer, or throw the error that it reports. */
function contentOf(status, text) {
  let content = null;
  try {
    content = text === "" ? null : JSON.parse(text);
  } catch {
    if (status < 400) throw new RequestError("The server’s answer cannot be read. Reload this page.", status);
  }
  if (status < 400) return content;
  const error = new RequestError(content?.error ?? `The server answered with an error, ${status}.`, status);
  if (status === 401) unauthorised();
  throw error;
}
