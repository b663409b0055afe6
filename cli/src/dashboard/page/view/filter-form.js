// The form of a filter: trait, operator and value.

import { MAX_FILTERS, OPERATORS } from "../model/filters.js";
import { h } from "./dom.js";
import { choice, field, offer, traitFields } from "./fields.js";

// Makes the form, for a new filter or for a change of `filter`. `actions` knows the traits and finds the
// values of one.
export function filterForm(question, filter, { traits, findValues }, choose) {
  if (!filter && question.filters.length >= MAX_FILTERS) return h("p", `There are ${MAX_FILTERS} filters, as many as the API takes.`);
  const operator = choice("Condition", OPERATORS.string);
  const value = h("div.value");
  const trait = traitFields(traits(), Object.keys(OPERATORS), () => draw());
  let input;
  let drawn;

  const draw = () => {
    const type = trait.type.value;
    if (type !== drawn) {
      drawn = type;
      operator.input.replaceChildren(...Object.entries(OPERATORS[type]).map(([name, words]) => h("option", { value: name }, words)));
      const made = type === "boolean" ? choice("Value", { true: "yes", false: "no" }) : field("Value", type === "number" ? { inputmode: "decimal", required: true } : { maxlength: "1024" });
      input = made.input;
      value.replaceChildren(made.element);
      input.addEventListener("focus", offerValues);
    }
    trait.name.setCustomValidity(trait.name.value.includes("=") ? "A name with = cannot be filtered here." : "");
  };
  const offerValues = async () => {
    const [name, at] = [trait.name.value, input];
    if (drawn !== "string" || name === "" || at.dataset.of === name) return;
    at.dataset.of = name;
    offer(at, await findValues(name));
  };

  if (filter) Object.assign(trait.name, { value: filter.name });
  if (filter) trait.type.value = filter.type;
  draw();
  if (filter) [operator.input.value, input.value] = [filter.operator, filter.value];
  return h("form.filter-form", { onsubmit: (event) => {
    event.preventDefault();
    choose({ name: trait.name.value, type: trait.type.value, operator: operator.input.value, value: drawn === "number" ? input.value.trim() : input.value });
  } }, trait.elements, operator.element, value, h("button.primary", filter ? "Change" : "Add"));
}
