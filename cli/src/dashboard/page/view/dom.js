// Elements, made without markup: all text is text.

import { KINDS } from "../model/figures.js";

const absent = (value) => value === null || value === undefined || value === false;

// Makes an element: its tag and classes (`p.soft`), attributes if there are any, and children, of which those
// that are absent are left out. `on…` are listeners; `style` has properties, set one by one as the page's
// policy allows; true is an attribute without a value.
export function h(selector, ...children) {
  const [tag, ...classes] = selector.split(".");
  const attributes = children[0]?.constructor === Object ? children.shift() : {};
  const element = document.createElement(tag);
  element.classList.add(...classes);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [property, text] of Object.entries(value)) element.style.setProperty(property, text);
    else if (!absent(value)) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => !absent(child)));
  return element;
}

// Makes a button with this class.
export function button(kind, label, onclick, attributes = {}) {
  return h(`button.${kind}`, { type: "button", onclick, ...attributes }, label);
}

// Makes text that a person or a record wrote: of any length, in any direction.
export function foreign(text, attributes = {}) {
  return h("bdi.foreign", { title: text.length > 24 ? text.slice(0, 500) : null, ...attributes }, text || "empty");
}

// Makes text that only screen readers read.
export function unseen(...text) {
  return h("span.unseen", ...text);
}

// Makes a card: a section with a heading, a sentence that says what it shows, and the rest.
export function card(id, { title, aside, sentence }, ...content) {
  const heading = h("div.card-head", h("h2", { id: `${id}-title` }, title), aside);
  const said = sentence ? h("p.sentence", { id: `${id}-sentence` }, sentence) : null;
  return h("section.card", { id, "aria-labelledby": `${id}-title` }, heading, said, ...content);
}

// Makes the key to the colors.
export function legend() {
  return h("p.legend", KINDS.map((kind) => h(`span.key.${kind}`, kind)));
}

// Makes a table that opens on demand: the figures of a chart.
export function figuresTable(caption, head, rows) {
  const cells = (row, tag, scope) => row.map((cell, index) => h(index ? tag : "th", { scope: index ? (scope ?? null) : (scope ?? "row") }, cell));
  const table = h("table.figures", h("caption.unseen", caption),
    h("thead", h("tr", cells(head, "th", "col"))), h("tbody", rows.map((row) => h("tr", cells(row, "td")))));
  const scroller = h("div.scroller", { tabindex: "0", role: "region", "aria-label": caption }, table);
  return h("details.as-table", h("summary", "Show as a table"), scroller);
}
