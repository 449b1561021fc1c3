import { element, named } from "./dom.js";
import { shortened } from "./format.js";

/**
 * A link to another state of the page. A click runs `go`; its address serves those who copy it or open it in another window.
 *
 * @param {function(): string} address
 * @param {function()} go
 * @param {object} properties of the element.
 */
export function stateLink(address, go, properties, ...content) {
  const link = element("a", { href: address(), ...properties }, ...content);
  // The address has what the reader has set meanwhile, such as the threshold.
  const renew = () => link.setAttribute("href", address());
  for (const name of ["pointerdown", "focus", "contextmenu"]) link.addEventListener(name, renew);
  link.addEventListener("click", (event) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go();
  });
  return link;
}

/** Name a document by its id, as a link to it if it is in the page. */
export function documentName(id, longest, links) {
  const name = named(shortened(id, longest), "b");
  const place = links?.placeOf(id);
  return place === undefined ? name : links.toDocument(place, {}, name);
}

/** Show content as a link to the documents that meet some criteria, where the page has such links. */
export function choiceLink(links, criteria, properties, ...content) {
  return links ? links.toDocuments(criteria, properties, ...content) : element("span", properties, ...content);
}
