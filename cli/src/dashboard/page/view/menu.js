// A button that opens a panel under it. One is open at a time; Escape and a click elsewhere close it.

import * as dom from "./dom.js";

let open = null;

function close(returnFocus) {
  if (!open) return;
  const { button, panel } = open;
  open = null;
  panel.hidden = true;
  button.setAttribute("aria-expanded", "false");
  if (returnFocus) button.focus();
}

for (const type of ["pointerdown", "focusin"]) {
  document.addEventListener(type, (event) => {
    if (!open?.element.contains(event.target)) close(false);
  });
}
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close(true);
});

let count = 0;

// Makes a menu. `build` returns what the panel holds, each time that it opens; it is passed a function
// that closes the panel.
export function menu(kind, control, label, build) {
  count += 1;
  const panel = dom.h("div.panel", { id: `panel-${count}`, hidden: true });
  const toggle = () => {
    if (open?.button === button) return close(true);
    close(false);
    panel.replaceChildren(...[build(() => close(true))].flat());
    panel.hidden = false;
    button.setAttribute("aria-expanded", "true");
    open = { element, button, panel };
    keepInView(panel);
    (panel.querySelector("[data-first]") ?? panel.querySelector("input, button, select"))?.focus();
  };
  const button = dom.button(kind, label, toggle, { "data-control": control, "aria-expanded": "false", "aria-controls": panel.id });
  const element = dom.h("div.menu", button, panel);
  return element;
}

// Moves a panel that would leave the window.
function keepInView(panel) {
  panel.style.setProperty("--shift", "0px");
  const { left, right } = panel.getBoundingClientRect();
  const room = document.documentElement.clientWidth - 12;
  const shift = right > room ? Math.max(room - right, 12 - left) : 0;
  panel.style.setProperty("--shift", `${shift}px`);
}
