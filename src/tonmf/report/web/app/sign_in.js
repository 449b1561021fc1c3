import { ask } from "./api.js";
import { element } from "../shared/dom.js";
import { problemLine } from "./notices.js";

/** Ask for the server's token, and call `signedIn` once the server accepts it. The page does not keep the token. */
export function signInForm(signedIn) {
  const problem = problemLine();
  const field = element("input", {
    type: "password",
    id: "token",
    autocomplete: "current-password",
    spellcheck: "false",
    required: true,
    "aria-describedby": "token-note",
  });
  const button = element("button", { type: "submit", class: "main-action" }, "Sign in");

  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    problem.say();
    try {
      await ask("/v1/session", { method: "POST", body: JSON.stringify({ token: field.value }) });
      field.value = "";
      await signedIn();
    } catch (error) {
      problem.say(error.message);
      field.select();
    } finally {
      button.disabled = false;
    }
  }

  const view = element(
    "section",
    { class: "sign-in", "aria-labelledby": "sign-in-heading" },
    element("h2", { id: "sign-in-heading" }, "This server requires a token"),
    element("p", { id: "token-note" }, "The server was started with it: --token, or TONMF_TOKEN in its environment."),
    element(
      "form",
      { submit },
      // Browsers save passwords by user name.
      element("input", { type: "text", autocomplete: "username", value: "tonmf", hidden: true }),
      element("label", { for: "token" }, "Token"),
      element("div", { class: "field-and-button" }, field, button),
      problem.view,
    ),
  );
  return { view, focus: () => field.focus() };
}
