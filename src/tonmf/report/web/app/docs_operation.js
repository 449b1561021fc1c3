import { element } from "../shared/dom.js";

/** How deep objects within objects are shown. */
const DEEPEST = 3;

/** One operation of the API: what it takes and what it answers, closed at first. */
export function operationView(method, path, operation, schemas) {
  const parameters = operation.parameters ?? [];
  const body = Object.entries(operation.requestBody?.content ?? {});
  const answers = Object.entries(operation.responses ?? {});
  const contents = (content) => Object.entries(content ?? {}).map(([kind, one]) => contentView(kind, one, schemas));
  return element(
    "details",
    { class: "operation", id: operation.operationId },
    element(
      "summary",
      {},
      element("code", { class: "operation-name" }, `${method.toUpperCase()} ${path}`),
      element("span", { class: "operation-summary" }, ` ${operation.summary ?? ""}`),
    ),
    paragraphs(operation.description),
    parameters.length > 0 && parametersTable(parameters, schemas),
    body.length > 0 && [element("h3", {}, "Body"), body.map(([kind, one]) => contentView(kind, one, schemas))],
    element("h3", {}, "Answers"),
    element(
      "ul",
      { class: "answers" },
      answers.map(([status, answer]) =>
        element("li", {}, element("b", {}, status), ` ${answer.description}`, Number(status) < 400 && contents(answer.content)),
      ),
    ),
  );
}

function paragraphs(text) {
  return (text ?? "")
    .split(/\n\n+/)
    .filter(Boolean)
    .map((paragraph) => element("p", {}, paragraph));
}

function parametersTable(parameters, schemas) {
  const rows = parameters.map(({ name, in: place, required, schema, description }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, element("code", {}, name), required && element("small", {}, " required")),
      element("td", {}, place === "path" ? "in the address" : "in the query string"),
      element("td", {}, element("code", {}, typeOf(schema ?? {}, schemas))),
      element("td", {}, description ?? schema?.description ?? ""),
    ),
  );
  const headings = ["parameter", "place", "type", "meaning"];
  return [
    element("h3", {}, "Parameters"),
    element(
      "table",
      { class: "parameters" },
      element("thead", {}, element("tr", {}, headings.map((text) => element("th", { scope: "col" }, text)))),
      element("tbody", {}, rows),
    ),
  ];
}

function contentView(kind, content, schemas) {
  const schema = resolved(content.schema ?? {}, schemas);
  const example = content.example ?? Object.values(content.examples ?? {})[0]?.value;
  return element(
    "div",
    { class: "content" },
    element("p", {}, element("code", {}, kind), schema.type !== "object" && ` ${schema.description ?? ""}`),
    fieldsList(schema, schemas, 0),
    example !== undefined && [element("p", { class: "note" }, "Example"), exampleBlock(example)],
  );
}

/** Show an example; it scrolls, which the keyboard can only do if it can have the focus. */
function exampleBlock(example) {
  const text = typeof example === "string" ? example : JSON.stringify(example, null, 1);
  return element("pre", { tabindex: 0, role: "group", "aria-label": "Example" }, element("code", {}, text));
}

/** List the keys of an object, and of objects within it; nothing for other values. */
function fieldsList(schema, schemas, depth) {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return null;
  return element(
    "ul",
    { class: "fields" },
    fields.map(([name, field]) =>
      element(
        "li",
        {},
        element("code", {}, name),
        element("small", {}, ` ${typeOf(field, schemas)}`),
        field.description && ` ${field.description}`,
        depth < DEEPEST && fieldsList(innermost(field, schemas), schemas, depth + 1),
      ),
    ),
  );
}

function resolved(schema, schemas) {
  return schema.$ref ? (schemas[schema.$ref.split("/").pop()] ?? {}) : schema;
}

/** Return the object that a field holds, perhaps in a list. */
function innermost(field, schemas) {
  const schema = resolved(field, schemas);
  if (schema.items) return innermost(schema.items, schemas);
  return (schema.anyOf ?? []).map((one) => innermost(one, schemas)).find((one) => one.properties) ?? schema;
}

/** Name a type in a few words, such as "list of string or null". */
function typeOf(field, schemas) {
  const schema = resolved(field, schemas);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return [...new Set(schema.anyOf.map((one) => typeOf(one, schemas)))].join(" or ");
  if (schema.type === "array") return `list of ${typeOf(schema.items ?? {}, schemas)}`;
  const range = [schema.minimum !== undefined && `from ${schema.minimum}`, schema.maximum !== undefined && `to ${schema.maximum}`];
  const preset = schema.default !== undefined && schema.default !== null && `(${JSON.stringify(schema.default)})`;
  return [schema.type ?? "any", ...range, preset].filter(Boolean).join(" ");
}
