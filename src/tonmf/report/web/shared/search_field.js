import { sizeOf } from "./choice.js";
import { element } from "./dom.js";
import { counted, whole } from "./format.js";
import { search } from "./search.js";

/** Milliseconds to wait for another letter before a search begins. */
const PAUSE = 250;

/** Milliseconds between updates during a long search. */
const BETWEEN_LOOKS = 250;

/** A search field that shows its progress and the number of results. */
export function searchField(documents, state) {
  let waiting = 0;
  const status = element("span", { class: "search-status", role: "status" });
  const field = element("input", { type: "search", placeholder: "id, words or text", input: soon, keydown: atOnce });

  function soon() {
    clearTimeout(waiting);
    waiting = setTimeout(find, PAUSE);
  }

  function atOnce(event) {
    if (event.key === "Enter") find();
  }

  async function find() {
    clearTimeout(waiting);
    const query = field.value.trim();
    state.set(query ? { query } : { query, matches: null });
    if (!query) return;
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

  state.on(["query"], () => {
    if (state.query !== "") return;
    status.textContent = "";
    if (document.activeElement !== field) field.value = "";
  });
  const label = element("label", {}, element("span", {}, "Search"), field);
  return element("div", { class: "search" }, label, status);
}
