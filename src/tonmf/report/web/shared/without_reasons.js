import { element } from "./dom.js";

/** Say how to get the reasons for the score of a document that a report has none for. */
export function withoutReasons({ id }) {
  return element(
    "p",
    { class: "note without-reasons" },
    "This report has no reasons for this document, because many others are stranger. ",
    element("code", {}, `tonmf explain MODEL FILES --id ${quoted(String(id))}`),
    " makes them, by the model that ",
    element("code", {}, "tonmf detect FILES --save MODEL"),
    " keeps.",
  );
}

/** Quote an argument as a shell wants it. */
function quoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}
