import { ask } from "./api.js";
import { element } from "../shared/dom.js";
import { operationView } from "./docs_operation.js";
import { problemLine } from "./notices.js";
import { themeButton } from "../shared/theme.js";

const METHODS = ["get", "post", "put", "delete"];

/** Titles of the parts of the API, by the tags of the operations. */
const PARTS_OF_API = {
  documents: "Score and explain documents",
  marks: "Marks",
  model: "The model",
  models: "Several models",
  jobs: "Jobs: fit a model on a file, or score one",
  watch: "Follow a watch",
  server: "The server",
};

/** The page that shows the API: the server's own description, as text. */
async function showApi() {
  const main = document.getElementById("app");
  const problem = problemLine();
  main.before(
    element(
      "header",
      { class: "app-header" },
      element("div", { class: "app-title" }, element("h1", {}, "tonmf"), element("p", { class: "model-in-short" }, "the API")),
      element(
        "div",
        { class: "bar-above" },
        element("nav", { "aria-label": "Other pages" }, element("a", { href: "/" }, "To the page")),
        element("div", { class: "page-buttons" }, themeButton()),
      ),
    ),
  );
  main.append(problem.view);
  try {
    main.append(...apiView(await ask("/openapi.json")));
  } catch (error) {
    problem.say(error.message);
  }
  document.documentElement.dataset.ready = "true";
  const named = document.getElementById(location.hash.slice(1));
  if (named?.matches("details")) {
    named.open = true;
    named.scrollIntoView();
  }
}

function apiView(api) {
  const parts = new Map(Object.keys(PARTS_OF_API).map((tag) => [tag, []]));
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const method of METHODS.filter((name) => methods[name])) {
      const tag = methods[method].tags?.at(-1) ?? "server";
      if (!parts.has(tag)) parts.set(tag, []);
      parts.get(tag).push(operationView(method, path, methods[method], api.components?.schemas ?? {}));
    }
  }
  const lead = element(
    "p",
    { class: "lead" },
    `Version ${api.info.version}. ${api.info.description} Requests send the token, if the server has one, as `,
    element("code", {}, "Authorization: Bearer …"),
    ". Errors are objects with the key ",
    element("code", {}, "error"),
    ". ",
    element("a", { href: "/openapi.json" }, "The same as OpenAPI"),
    ".",
  );
  return [
    element("section", { "aria-label": "About the API" }, lead),
    ...[...parts]
      .filter(([, views]) => views.length > 0)
      .map(([tag, views]) => element("section", { class: "api-part" }, element("h2", {}, PARTS_OF_API[tag] ?? tag), views)),
  ];
}

showApi();
