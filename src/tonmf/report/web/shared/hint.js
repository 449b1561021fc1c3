import { element } from "./dom.js";

let box = null;

/** Show a text beside the pointer; an empty text hides it. */
export function hint(text, event) {
  box ??= document.body.appendChild(element("div", { class: "hint", "aria-hidden": "true" }));
  box.hidden = !text;
  if (!text) return;
  box.textContent = text;
  const { offsetWidth, offsetHeight } = box;
  const left = Math.max(4, Math.min(event.clientX + 14, innerWidth - offsetWidth - 4));
  const above = event.clientY + 18 + offsetHeight > innerHeight;
  box.style.setProperty("left", `${left}px`);
  box.style.setProperty("top", `${above ? event.clientY - offsetHeight - 10 : event.clientY + 18}px`);
}
