// Elements, made without markup: all text is text.

// Makes an element. `on…` attributes are listeners, `style` is an object of properties (set one by one, as
// the page's policy allows), and true, false and null set, omit and omit an attribute.
export function h(tag, attributes = {}, ...children) {
  return fill(set(document.createElement(tag), attributes), children);
}

// Makes an element of SVG.
export function svg(tag, attributes = {}, ...children) {
  return fill(set(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes), children);
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [property, text] of Object.entries(value)) element.style.setProperty(property, text);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  return element;
}

function fill(element, children) {
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// Makes text that a person or a record wrote: of any length, in any direction.
export function foreign(text, attributes = {}) {
  return h("bdi", { class: "foreign", title: text.length > 24 ? text.slice(0, 500) : null, ...attributes }, text || "empty");
}

// Makes text that only screen readers read.
export function unseen(...text) {
  return h("span", { class: "unseen" }, ...text);
}

// Makes a card: a section with a heading, a sentence that says what it shows, and the rest.
export function card(id, { title, aside, sentence }, ...content) {
  const heading = h("div", { class: "card-head" }, h("h2", { id: `${id}-title` }, title), aside);
  const said = sentence ? h("p", { class: "sentence", id: `${id}-sentence` }, sentence) : null;
  return h("section", { class: "card", id, "aria-labelledby": `${id}-title` }, heading, said, ...content);
}

// Makes the key to the colors.
export function legend() {
  const part = (kind) => h("span", { class: `key ${kind}` }, kind);
  return h("p", { class: "legend" }, ["detractors", "passives", "promoters"].map(part));
}

// Makes a table that opens on demand: the figures of a chart.
export function figuresTable(caption, head, rows) {
  const cells = (row, tag, scope) => row.map((cell, index) => h(index ? tag : "th", { scope: index ? (scope ?? null) : (scope ?? "row") }, cell));
  const table = h("table", { class: "figures" }, h("caption", { class: "unseen" }, caption),
    h("thead", {}, h("tr", {}, cells(head, "th", "col"))), h("tbody", {}, rows.map((row) => h("tr", {}, cells(row, "td")))));
  const scroller = h("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": caption }, table);
  return h("details", { class: "as-table" }, h("summary", {}, "Show as a table"), scroller);
}
