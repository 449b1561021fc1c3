import { element, oncePerFrame } from "../shared/dom.js";
import { counted, decimal, isolated, shortened, whole } from "../shared/format.js";
import { MapCanvas } from "./map_canvas.js";
import { mapGestures } from "./map_gestures.js";
import { mapKeys } from "./map_keys.js";
import { MapLabels } from "./map_labels.js";
import { MapMotion } from "./map_motion.js";
import { MapTip } from "./map_tip.js";
import { MapView } from "./map_view.js";
import { whileNear } from "../shared/near.js";
import { onTheme, onWidth } from "../shared/theme.js";

/** How far from a dot, in pixels, a pointer and a finger still mean it. */
const [REACH, REACH_OF_FINGER] = [12, 22];

/** Milliseconds without a movement after which a map is at rest. */
const REST = 160;

/** The least zoom at which a topic, and a document chosen by keys, are shown. */
const CLOSE = 3;

/** With more rings in view than this, names may be over any of them. */
const MOST_AVOIDED = 60;

/** The map itself, once it is about to be seen. `MAP_STATE` says what it has to do with the rest of the page. */
export class LiveMap {
  #restTimer = 0;
  #middle = element("div", { class: "map-middle", hidden: true });
  #open = element("div", { class: "map-open", hidden: true });
  #rectangle = element("div", { class: "map-rectangle", hidden: true });
  #said = element("p", { class: "unseen", role: "status" });

  constructor({ container, tools, list }, source, state, on) {
    Object.assign(this, { container, tools, list, state, on, columns: source.columns, n_topics: source.topics.length });
    this.view = new MapView(source.columns);
    this.map = new MapCanvas(source.columns, this.view);
    this.motion = new MapMotion(this.view, (isMoving) => this.#draw(isMoving));
    this.tip = new MapTip(source, state);
    this.labels = new MapLabels(source.topics, source.columns, (topic) => this.showTopic(topic));
    this.drawSoon = oncePerFrame(() => this.#draw(true));
    this.map.canvas.setAttribute("role", "img");
    container.append(this.map.canvas, this.labels.view, this.#open, this.#middle, this.#rectangle);
    container.append(tools.zoom, this.tip.view, this.#said);
    mapGestures(container, this.view, this.#gestures());
    mapKeys(container, this.#keys());
    this.view.show(state.view);
    this.#layOut();
    this.#follow();
  }

  /** Show a part of the map, `{x, y, zoom}`; null shows all of it. */
  show(part) {
    this.motion.to(part);
  }

  showTopic({ x, y }) {
    this.show({ x, y, zoom: Math.max(this.view.zoom, CLOSE) });
  }

  zoom(factor) {
    this.motion.to(this.view.zoomed(factor));
  }

  selectAll() {
    this.state.set({ selected: this.map.inside(), page: 0 });
  }

  #layOut() {
    const { container, view } = this;
    const { clientWidth, clientHeight } = container;
    container.style.setProperty("--map-shape", `${clientWidth} / ${clientHeight}`); // for print
    view.layOut(clientWidth, clientHeight);
    view.show(this.state.view);
    this.labels.forget();
    this.#draw(false);
  }

  /** Follow the state, the width and the colours of the page. */
  #follow() {
    const { state, container, view, columns } = this;
    state.on(["threshold", "selected", "ranked"], oncePerFrame(whileNear(container, () => this.#draw(true))));
    state.on(["view"], () => !isSamePart(state.view, view.part) && this.show(state.view));
    state.on(["panel", "opened"], () => {
      this.#markOpen();
      const { panel } = state;
      if (panel === null || panel >= columns.judged || view.has(columns.x[panel], columns.y[panel])) return;
      this.show({ x: columns.x[panel], y: columns.y[panel], zoom: view.zoom });
    });
    container.addEventListener("focus", () => {
      this.#middle.hidden = !container.matches(":focus-visible");
      if (!this.#middle.hidden) this.#markMiddle();
    });
    container.addEventListener("blur", () => {
      this.#middle.hidden = true;
      this.tip.hide();
    });
    onWidth(container, () => this.#layOut());
    onTheme(() => {
      this.map.recolour();
      this.#draw(false);
    });
  }

  #draw(isMoving) {
    const { map, labels, view, state, container, tools, tip } = this;
    map.paint(state, isMoving);
    labels.place(view, map.ringsInView(MOST_AVOIDED));
    this.#markOpen();
    container.classList.toggle("is-whole", view.isWhole);
    tools.follow(view);
    tip.hide();
    clearTimeout(this.#restTimer);
    if (isMoving) this.#restTimer = setTimeout(() => this.#rest(), REST);
    else this.#rest();
  }

  /** Draw as sharply as the screen allows, and tell others what is shown. */
  #rest() {
    const { map, view, state, list, columns } = this;
    if (map.isCoarse) map.paint(state, false);
    if (!isSamePart(state.view, view.part)) state.set({ view: view.part });
    const shown = map.shown();
    list.follow(shown, view.isWhole);
    map.canvas.setAttribute(
      "aria-label",
      `Map of ${counted(columns.judged, "document")} of ${counted(this.n_topics, "topic")}; ` +
        `${whole(state.flagged)} are flagged, and ${whole(shown.length)} in view.`,
    );
    if (!this.#middle.hidden) this.#markMiddle();
  }

  #markOpen() {
    const { state, columns, view } = this;
    const place = state.panel ?? state.opened;
    this.#open.hidden = place === null || place >= columns.judged;
    if (!this.#open.hidden) moveTo(this.#open, view.toWindow(columns.x[place], columns.y[place]));
  }

  /** Return the document nearest to the middle of the window: the one that keys mean. */
  #atMiddle() {
    const { width, height } = this.view;
    return this.map.at({ x: width / 2, y: height / 2 }, Math.min(width, height) / 4, 0);
  }

  #markMiddle() {
    const { view, columns, state, tip } = this;
    const place = this.#atMiddle();
    if (place < 0) {
      this.#said.textContent = "No document near the middle.";
      return moveTo(this.#middle, { x: view.width / 2, y: view.height / 2 });
    }
    const point = view.toWindow(columns.x[place], columns.y[place]);
    moveTo(this.#middle, point);
    tip.show(place, point, view);
    const flag = columns.standing[place] < state.flagged ? ", flagged" : "";
    const id = isolated(shortened(columns.id[place], 60));
    this.#said.textContent = `${id}, score ${decimal(columns.score[place])}${flag}. Enter opens it.`;
    return undefined;
  }

  #gestures() {
    const { map, view, state, on, tools, tip, columns, motion } = this;
    return {
      isSelecting: () => tools.isSelecting,
      over: (point) => {
        const place = map.at(point, REACH, state.flagged);
        this.container.classList.toggle("on-dot", place >= 0);
        if (place < 0) tip.hide();
        else tip.show(place, view.toWindow(columns.x[place], columns.y[place]), view);
      },
      out: () => tip.hide(),
      click: (point, event) => {
        const place = map.at(point, event.pointerType === "touch" ? REACH_OF_FINGER : REACH, state.flagged);
        if (place >= 0) on.open(place, event);
        else state.set({ selected: null });
      },
      drag: (across, down) => {
        motion.stop();
        view.drag(across, down);
        this.drawSoon();
      },
      zoom: (factor, point) => {
        motion.stop();
        view.show(view.zoomed(factor, point));
        this.drawSoon();
      },
      rectangle: (box) => showRectangle(this.#rectangle, box),
      select: (box) => {
        showRectangle(this.#rectangle, null);
        tools.drawn();
        state.set({ selected: map.inside(box), page: 0 });
      },
    };
  }

  #keys() {
    const { view, columns, map } = this;
    return {
      drag: (across, down) => {
        const { x, y } = view.toMap({ x: view.width * (0.5 - across), y: view.height * (0.5 - down) });
        this.show({ x, y, zoom: view.zoom });
      },
      zoom: (factor) => this.zoom(factor),
      whole: () => this.show(null),
      next: (across, down) => {
        const place = map.towards(this.#atMiddle(), across, down);
        if (place >= 0) this.show({ x: columns.x[place], y: columns.y[place], zoom: Math.max(view.zoom, CLOSE) });
      },
      open: (event) => {
        const place = this.#atMiddle();
        if (place >= 0) this.on.open(place, event);
      },
      stop: () => {
        const { panel, selected } = this.state; // the panel closes first
        if (panel === null) this.state.set({ selected: null });
        return panel === null && selected !== null;
      },
    };
  }
}

function isSamePart(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

function moveTo(mark, { x, y }) {
  mark.style.setProperty("left", `${x}px`);
  mark.style.setProperty("top", `${y}px`);
}

function showRectangle(shown, box) {
  shown.hidden = box === null;
  if (box === null) return;
  moveTo(shown, { x: box.left, y: box.top });
  shown.style.setProperty("width", `${box.right - box.left}px`);
  shown.style.setProperty("height", `${box.bottom - box.top}px`);
}
