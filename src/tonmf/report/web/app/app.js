import { ask, chooseModel, ofModel, onUnauthorised } from "./api.js";
import { element, hidden } from "../shared/dom.js";
import { keepFilesFromOpening } from "./file_field.js";
import { fitView } from "./fit_view.js";
import { liveView } from "./live_view.js";
import { modelInShort, modelView } from "./model_view.js";
import { modelChoice } from "./models_list.js";
import { problemLine } from "./notices.js";
import { scoreView } from "./score_view.js";
import { signInForm } from "./sign_in.js";
import { State } from "../shared/state.js";
import { readAddress } from "../shared/address.js";
import { themeButton } from "../shared/theme.js";

const FIRST = "score";

/** The server's page: score documents, fit models, and look at the model. */
class App {
  #main = document.getElementById("app");
  #problem = problemLine();
  #signIn = signInForm(() => this.open());
  #short = element("p", { class: "model-in-short" });
  #choice = element("div", { class: "model-choice controls" });
  #links = element("nav", { "aria-label": "Parts of this page" });
  #signOut = element("button", { type: "button", hidden: true, click: () => this.#leave() }, "Sign out");
  #views = new Map();
  #named = null;

  constructor() {
    const buttons = element("div", { class: "page-buttons" }, themeButton(), this.#signOut);
    this.#main.before(
      element("a", { class: "skip", href: "#app", click: (event) => this.#skip(event) }, "Skip to the content"),
      element(
        "header",
        { class: "app-header" },
        element("div", { class: "app-title" }, element("h1", {}, "tonmf"), this.#short, this.#choice),
        element("div", { class: "bar-above" }, this.#links, buttons),
      ),
    );
    this.#main.setAttribute("tabindex", "-1");
    this.#main.append(this.#problem.view);
    addEventListener("hashchange", () => this.#go(true));
    addEventListener("popstate", () => namedModel() !== this.#named && this.open());
    onUnauthorised(() => this.#askForToken());
    keepFilesFromOpening();
  }

  /** Load the model that the address names from the server, and show it. */
  async open() {
    this.#problem.say();
    this.#named = namedModel();
    chooseModel(this.#named);
    try {
      const model = await ask(ofModel("/model"));
      const { topics } = await ask(ofModel("/topics?words=10"));
      const { models } = await ask("/v1/models");
      this.#show({ ...model, topics, models });
    } catch (error) {
      if (error.status === 401) return;
      this.#close();
      const isNone = error.status === 404 && this.#named !== null;
      const again = isNone
        ? element("button", { type: "button", click: () => this.#use(null) }, "Use the served model")
        : element("button", { type: "button", click: () => this.open() }, "Try again");
      this.#problem.say(`${error.message} `, again);
    }
    document.documentElement.dataset.ready = "true";
  }

  /** Show the page for another model, at its own address. */
  #use(name) {
    const query = name === null ? "" : `?model=${encodeURIComponent(name)}`;
    history.pushState(null, "", `${location.pathname}${query}${location.hash}`);
    return this.open();
  }

  #show(model) {
    this.#close();
    this.#choice.replaceChildren(...modelChoice(model, (name) => this.#use(name)));
    const fit = fitView(model, (count) => this.#count(count));
    const state = new State({ threshold: model.threshold });
    const score = scoreView(model, state, (job) => {
      addEventListener("hashchange", () => fit.add(job), { once: true }); // once the list is visible
      location.hash = "fit";
    });
    this.#views = new Map([
      ["score", { name: "Score", ...score }],
      ["fit", { name: "Fit a model", ...fit }],
      ["model", { name: "The model", ...modelView(model, state, (name) => this.#use(name)) }],
    ]);
    if (model.watch) this.#views.set("live", { name: "Live", ...liveView() });
    const by = model.models.some(({ name, served }) => served && name === model.name) ? "serves" : "has";
    const follow = () =>
      (this.#short.textContent = `${by} a model of ${modelInShort({ ...model, threshold: state.threshold })}`);
    state.on(["threshold"], follow);
    follow();
    this.#signOut.hidden = !model.token;
    const links = [...this.#views].map(([id, { name }]) => element("a", { href: `#${id}`, "data-view": id }, name));
    this.#links.replaceChildren(...links);
    this.#main.append(...[...this.#views.values()].map(({ view }) => view));
    this.#go(false);
    fit.refresh();
  }

  /** Show the view that the address names. */
  #go(isAsked) {
    if (this.#views.size === 0) return;
    const named = readAddress().section;
    const current = this.#views.has(named) ? named : FIRST;
    for (const [id, { view }] of this.#views) view.hidden = id !== current;
    for (const link of this.#links.children) {
      if (link.dataset.view === current) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    document.title = `${this.#views.get(current).name} – tonmf`;
    if (!isAsked) return;
    scrollTo(0, 0);
    this.#views.get(current).heading.focus({ preventScroll: true });
  }

  #count(count) {
    const link = [...this.#links.children].find(({ dataset }) => dataset.view === "fit");
    const badge = element("span", { class: "count" }, String(count), hidden(" in progress"));
    link?.replaceChildren(this.#views.get("fit").name, ...(count > 0 ? [" ", badge] : []));
  }

  #skip(event) {
    event.preventDefault();
    this.#main.focus();
  }

  #askForToken() {
    document.documentElement.dataset.ready = "true";
    if (this.#signIn.view.isConnected) return;
    this.#close();
    this.#main.append(this.#signIn.view);
    this.#signIn.focus();
  }

  async #leave() {
    try {
      await ask("/v1/session", { method: "DELETE" });
      this.#askForToken();
    } catch (error) {
      this.#problem.say(error.message);
    }
  }

  /** Remove everything that came from the server: it is only for those who have the token. */
  #close() {
    document.title = "tonmf";
    for (const { view, stop } of this.#views.values()) {
      stop?.();
      view.remove();
    }
    this.#views = new Map();
    this.#signIn.view.remove();
    this.#links.replaceChildren();
    this.#short.textContent = "";
    this.#choice.replaceChildren();
    this.#signOut.hidden = true;
    this.#problem.say();
  }
}

/** Return the name of the model that the address of this page names; null for the one that is served. */
function namedModel() {
  return new URLSearchParams(location.search).get("model");
}

new App().open();
