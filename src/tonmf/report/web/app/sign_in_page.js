import { ask } from "./api.js";
import { element } from "../shared/dom.js";
import { problemLine } from "./notices.js";
import { signInForm } from "./sign_in.js";
import { themeButton } from "../shared/theme.js";

/**
 * What the server shows in place of a page that needs the token: ask for it, then show that page, at the same address.
 *
 * A link on another site brings no cookie with it, so a reader who has signed in comes here too. Requests of this page bring
 * it, so that such a reader is not asked again.
 */
async function letIn() {
  const main = document.getElementById("app");
  main.before(
    element(
      "header",
      { class: "app-header" },
      element("div", { class: "app-title" }, element("h1", {}, "tonmf")),
      element("div", { class: "bar-above" }, element("div", { class: "page-buttons" }, themeButton())),
    ),
  );
  try {
    await ask("/v1/session");
    goOn(main);
  } catch (error) {
    const problem = problemLine();
    const form = signInForm(() => location.reload());
    main.append(problem.view, form.view);
    if (error.status !== 401) problem.say(error.message);
    form.focus();
  }
  document.documentElement.dataset.ready = "true";
}

/** Show the page; if it has been loaded again already, ask first, or it might be loaded for ever. */
function goOn(main) {
  const [how] = performance.getEntriesByType("navigation");
  if (how?.type !== "reload") {
    location.reload();
    return;
  }
  const button = element("button", { type: "button", class: "main-action", click: () => location.reload() }, "Go on");
  main.append(element("section", { class: "sign-in" }, element("h2", {}, "You are signed in"), button));
  button.focus();
}

letIn();
