import { stateLink } from "../shared/links.js";

/**
 * Makes links to what the report shows.
 *
 * @param {{columns: object, isOfTraining: boolean}} source `isOfTraining` says whether ids of training documents, such as those
 *     of the nearest ones, are ids of documents in the report.
 * @param {PageAddress} address
 * @param {{open: function(number), choose: function(object)}} go opens a document; lists those that meet some criteria.
 */
export function pageLinks({ columns, isOfTraining }, address, { open, choose }) {
  let places = null;

  /** Return the place of the document with an id; undefined if there is none. */
  function placeOf(id) {
    if (!isOfTraining) return undefined;
    if (places === null) {
      places = new Map();
      for (let place = columns.length - 1; place >= 0; place--) places.set(columns.id[place], place);
    }
    return places.get(id);
  }

  return {
    placeOf,
    toDocument: (place, properties, ...content) =>
      stateLink(
        () => address.of("", { opened: place }),
        () => open(place),
        { class: "to-document", ...properties },
        ...content,
      ),
    toDocuments: (criteria, properties, ...content) =>
      stateLink(
        () => address.of("documents", criteria),
        () => address.asOneStep("documents", () => choose(criteria)),
        { title: "List the documents", ...properties },
        ...content,
      ),
    toSection: (section, go, properties, ...content) =>
      stateLink(
        () => address.ofSection(section),
        () => address.asOneStep(section, go),
        properties,
        ...content,
      ),
  };
}
