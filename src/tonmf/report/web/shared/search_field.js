import { sizeOf } from "./choice.js";
import { element } from "./dom.js";
import { counted, whole } from "./format.js";
import { search } from "./search.js";

/** Milliseconds to wait for another letter before a search begins. */
const PAUSE = 250;

/** Milliseconds between updates during a long search. */
const BETWEEN_LOOKS = 250;

/**
 * A search field that shows its progress and the number of results.
 *
 * @returns {{view: HTMLElement, found: function(): Promise}} `found` resolves once the current search is done.
 */
export function searchField(documents, state) {
  let waiting = 0;
  const status = element("span", { class: "search-status", role: "status" });
  const field = element("input", { type: "search", placeholder: "id, words or text", input: soon, keydown: atOnce });

  function soon() {
    clearTimeout(waiting);
    waiting = setTimeout(take, PAUSE);
  }

  function atOnce(event) {
    if (event.key === "Enter") take();
  }

  function take() {
    clearTimeout(waiting);
    const query = field.value.trim();
    state.set({ query });
  }

  /** Search for what was typed, or for what the page's address says. */
  async function find() {
    const { query } = state;
    clearTimeout(waiting);
    if (field.value.trim() !== query && !(query === "" && document.activeElement === field)) field.value = query;
    if (query === "") {
      status.textContent = "";
      state.set({ matches: null });
      return;
    }
    let looked = performance.now();
    const isWanted = () => state.query === query;
    const matches = await search(query, documents, isWanted, (sofar, searched) => {
      if (performance.now() - looked < BETWEEN_LOOKS) return;
      looked = performance.now();
      status.textContent = `Searched ${whole(searched)} of ${counted(documents.length, "document")}…`;
      state.set({ matches: sofar.slice() });
    });
    if (matches === null) return;
    state.set({ matches });
    status.textContent = `${counted(sizeOf(matches), "document")} found`;
  }

  let searching = state.query === "" ? Promise.resolve() : find();
  state.on(["query"], () => (searching = find()));
  const label = element("label", {}, element("span", {}, "Search"), field);
  return { view: element("div", { class: "search" }, label, status), found: () => searching };
}
