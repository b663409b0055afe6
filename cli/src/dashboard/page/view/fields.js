// Fields of forms, and the trait with its type that filters and groups share.

import { TYPES } from "../model/filters.js";
import { h } from "./dom.js";

let count = 0;

// Makes an input with its label. `hint` stands under it.
export function field(label, attributes, hint) {
  count += 1;
  const id = `field-${count}`;
  const input = h("input", { id, spellcheck: "false", autocomplete: "off", "aria-describedby": hint ? `${id}-hint` : null, ...attributes });
  const element = h("div.field", h("label", { for: id }, label), input, hint ? h("p.hint", { id: `${id}-hint` }, hint) : null);
  return { element, input };
}

// Makes a choice with its label.
export function choice(label, options, selected) {
  count += 1;
  const id = `field-${count}`;
  const option = ([value, text]) => h("option", { value, selected: value === selected }, text);
  const input = h("select", { id }, Object.entries(options).map(option));
  return { element: h("div.field", h("label", { for: id }, label), input), input };
}

// Offers values while one types.
export function offer(input, values) {
  const list = input.list ?? h("datalist", { id: `${input.id}-values` });
  list.replaceChildren(...values.map((value) => h("option", { value })));
  if (!input.list) {
    input.after(list);
    input.setAttribute("list", list.id);
  }
}

// Makes the fields of a trait: its name, with the known ones offered, and its type, which follows a known
// name. `changed` is called when either changes.
export function traitFields(known, types, changed) {
  const name = field("Trait", { name: "trait", required: true, maxlength: "255", "data-first": true, placeholder: known.length > 0 ? `such as ${known[0].name}` : "its name" });
  const usable = known.filter(({ type }) => types.includes(type));
  offer(name.input, [...new Set(usable.map((trait) => trait.name))]);
  const type = choice("Type", Object.fromEntries(types.map((one) => [one, TYPES[one]])), types[0]);
  name.input.addEventListener("input", () => {
    const trait = usable.find((one) => one.name === name.input.value);
    if (trait) type.input.value = trait.type;
    changed();
  });
  type.input.addEventListener("change", changed);
  return { elements: [name.element, type.element], name: name.input, type: type.input };
}
