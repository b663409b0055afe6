// Elements, made without markup, so that all text is text: what the parts of the page are made of.

import * as format from "../model/format.js";

const absent = (value) => value === null || value === undefined || value === false;

// Makes an element: its tag and classes (`p.soft`), attributes if there are any, and children, of which those
// that are absent are left out. `on…` are listeners; `style` has properties, set one by one as the page's
// policy allows; true is an attribute without a value.
const maker = (create) => (selector, ...children) => {
  const [tag, ...classes] = selector.split(".");
  const attributes = children[0]?.constructor === Object ? children.shift() : {};
  const element = create(tag);
  if (classes.length > 0) element.classList.add(...classes);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.entries(value).forEach((property) => element.style.setProperty(...property));
    else if (!absent(value)) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => !absent(child)));
  return element;
};
export const h = maker((tag) => document.createElement(tag));
// Makes an element of a drawing.
export const s = maker((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));

// Sets properties to so many pixels.
export function setLengths(element, lengths) {
  for (const [name, length] of Object.entries(lengths)) element.style.setProperty(name, `${length}px`);
}

// Makes a form with this class, which the page handles itself.
export function form(kind, submitted, ...children) {
  const onsubmit = (event) => {
    event.preventDefault();
    submitted();
  };
  return h(`form.${kind}`, { onsubmit }, ...children);
}

// Makes a button with this class.
export function button(kind, label, onclick, attributes = {}) {
  return h(`button.${kind}`, { type: "button", onclick, ...attributes }, label);
}

// Makes an option that does something, and says how that went, as `act` returns it.
export function attempt(control, label, act) {
  const option = button("option", label, async () => {
    option.textContent = await act();
  }, { "data-control": control, "aria-live": "polite" });
  return option;
}

// Makes an option that copies something, which a browser may refuse.
export const copier = (control, label, copy) => (
  attempt(control, label, () => copy().then(() => "Copied", () => "The browser refused to copy")));

// Lets the browser save a text as a file.
export function save(text, type, name) {
  const href = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

// Makes text that a person or a record wrote: of any length, in any direction.
export function foreign(text) {
  return h("bdi.foreign", { title: text.length > 24 ? text.slice(0, 500) : null }, text || "empty");
}

// Makes the name of a group.
export function groupName({ group, other }) {
  if (other) return h("em", "all others");
  if (group === null) return h("em", "no value");
  if (typeof group === "boolean") return group ? "yes" : "no";
  if (group === "") return h("em", "empty");
  // Blanks alone may tell it from another.
  return foreign(group === group.trim() ? group : `"${group}"`);
}

// Makes a count, of which a pointer shows what is shortened.
export function count(value) {
  const [short, exact] = [format.short(value), format.count(value)];
  return short === exact ? exact : h("span", { title: exact }, short);
}

// Makes a command, whose words are not torn apart.
export const command = (line) => h("code", line.split(" ").map((word, at) => [at > 0 && " ", h("span.word", word)]));

// Makes text that only screen readers read.
export const unseen = (...text) => h("span.unseen", ...text);

// Makes a card: a section with a heading, a control beside that, and the rest.
export function card(id, { title, aside }, ...content) {
  const heading = h("div.card-head", h("h2", { id: `${id}-title` }, title), aside);
  return h("section.card", { id, "aria-labelledby": `${id}-title` }, heading, ...content);
}

// Makes a table that opens on demand: the figures of a chart.
export function figuresTable(caption, head, rows) {
  const names = head.map((cell) => h("th", { scope: "col" }, cell));
  const row = ([name, ...cells]) => [h("th", { scope: "row" }, name), cells.map((cell) => h("td", cell))];
  const table = h("table.figures", h("caption.unseen", caption),
    h("thead", h("tr", names)), h("tbody", rows.map((cells) => h("tr", row(cells)))));
  const scroller = h("div.scroller", { tabindex: "0", role: "region", "aria-label": caption }, table);
  return h("details.as-table", h("summary", "Show as a table"), scroller);
}

let panels = 0;

// Makes a button that opens a panel under it. `build` returns what the panel holds, each time that it opens.
// The function that `build` is passed makes an action close the panel first.
export function menu(kind, control, label, build, attributes = {}) {
  panels += 1;
  const id = `panel-${panels}`;
  const closing = (action) => (...passed) => {
    panel.hidePopover();
    action(...passed);
  };
  const onbeforetoggle = ({ newState }) => {
    // Browsers give the focus back for the outermost panel alone.
    if (newState === "closed") {
      if (panel.contains(document.activeElement)) toggler.focus({ preventScroll: true });
      return;
    }
    panel.replaceChildren(...[build(closing)].flat(Infinity).filter((child) => !absent(child)));
    const firsts = ["[data-first]", ".option[aria-pressed='true']", "input, button, select"];
    const first = firsts.map((one) => panel.querySelector(one)).find(Boolean);
    first?.setAttribute("autofocus", "");
  };
  const onfocusout = ({ relatedTarget: next }) => {
    if (next && next !== toggler && !panel.contains(next)) panel.hidePopover();
  };
  // Arrows move from option to option, and from the first one to the search.
  const onkeydown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const all = [...event.target.closest(".panel").querySelectorAll(".search, .option")];
    if (!step || !all.includes(event.target)) return;
    event.preventDefault();
    event.stopPropagation();
    all[all.indexOf(event.target) + step]?.focus();
  };
  const panel = h("div.panel", { id, popover: "auto", onbeforetoggle, onfocusout, onkeydown });
  const toggler = button(kind, label, () => {}, { "data-control": control, popovertarget: id, ...attributes });
  return h("div.menu", toggler, panel);
}
