import { element } from "./dom.js";

/** A bar for a document's score; the part beyond the threshold has the accent. */
export function scoreBar(place, { columns, scores }, state) {
  const view = element("span", { class: "score-bar", "aria-hidden": "true" });

  function refresh() {
    view.style.setProperty("--part", scores.barOf(columns.score[place]).toFixed(3));
    view.style.setProperty("--cut", scores.barOf(state.threshold).toFixed(3));
  }

  return { view, refresh };
}
