import { element } from "../shared/dom.js";

/**
 * A field to choose a file with, or to drop one on.
 *
 * @param {object} options `id` of the field, `label` of the button, `note` on the files it accepts, `accept` their extensions,
 *     and `take`, a function that gets one or more files.
 */
export function fileField({ id, label, note, accept, take }) {
  const describedBy = `${id}-note`;
  const properties = { type: "file", id, accept, class: "unseen", "aria-describedby": describedBy };
  const input = element("input", { ...properties, change: chosen });
  const view = element(
    "div",
    { class: "drop", dragover: hover, dragleave: leave, drop: dropped },
    element("p", { class: "drop-line" }, input, element("label", { for: id, class: "button" }, label), " or drop it here"),
    element("p", { class: "note", id: describedBy }, note),
  );

  function chosen() {
    const files = [...input.files];
    input.value = ""; // so that the same file can be chosen again
    if (files.length > 0) take(files);
  }

  function hover(event) {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    view.classList.add("is-over");
  }

  function leave(event) {
    if (!view.contains(event.relatedTarget)) view.classList.remove("is-over");
  }

  function dropped(event) {
    event.preventDefault();
    view.classList.remove("is-over");
    const files = [...event.dataTransfer.files];
    if (files.length > 0) take(files);
  }

  return { view, input };
}

/** Keep the browser from leaving the page to open a file that was dropped beside a field. */
export function keepFilesFromOpening() {
  for (const name of ["dragover", "drop"]) {
    addEventListener(name, (event) => {
      if (!event.defaultPrevented && event.dataTransfer.types.includes("Files")) {
        event.preventDefault();
        event.dataTransfer.dropEffect = "none";
      }
    });
  }
}

/** Format 2,500,000 bytes as "2.4 MB". */
export function bytesInWords(bytes) {
  const units = ["bytes", "KB", "MB", "GB"];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  const number = bytes / 1024 ** power;
  return `${power > 0 && number < 10 ? number.toFixed(1) : Math.round(number)} ${units[power]}`;
}
