// Lists from which something is picked with one click: traits, their values, and time zones.

import { isList, MAX_FILTERS, MAX_LISTED, NUMBER, OPERATORS, TYPES } from "../model/question.js";
import { button, foreign, form, h } from "./dom.js";

// Makes a search field and the list that it narrows. `own` returns the items for a text that the list lacks.
function finder(label, { choose, own }) {
  const input = h("input.search", {
    type: "search", placeholder: label, "aria-label": label, maxlength: "1024",
    spellcheck: "false", autocomplete: "off", "data-first": true,
  });
  const [list, note] = [h("div.options"), h("p.hint", { role: "status" })];
  let [items, words] = [[], ""];
  const option = (item) => button("option", [foreign(item.label), h("span.soft", item.note)],
    () => choose(item), { "aria-pressed": item.isCurrent ? "true" : null });
  const draw = () => {
    const text = input.value.trim();
    const isFound = ({ label: name }) => name.toLowerCase().includes(text.toLowerCase());
    const fits = items.filter(isFound).slice(0, 100);
    const exact = fits.filter((item) => text && item.label === text);
    const others = fits.filter((item) => !exact.includes(item));
    const typed = text && exact.length === 0 ? own(text) : [];
    list.replaceChildren(...[...exact, ...others, ...typed].map(option));
    const said = text && !list.firstChild ? "Nothing found" : words;
    if (note.textContent !== said) note.textContent = said;
  };
  input.addEventListener("input", draw);
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    list.firstChild?.[input.value ? "click" : "focus"]();
  });
  return {
    elements: [input, note, list],
    offer(found, said) {
      const hadFocus = list.contains(document.activeElement);
      [items, words] = [found, said];
      draw();
      if (hadFocus) input.focus();
    },
  };
}

const asItem = ({ name, type }) => ({ name, type, label: name, note: TYPES[type] });

// Makes the list of the traits of these types that fit. A name that it lacks can be typed, as one of `typed`.
export function traitPicker({ findTraits }, { types, typed = types, fits, choose }) {
  const own = (name) => typed.map((type) => asItem({ name, type })).filter(fits);
  const list = finder("Search traits", { choose, own });
  const isOffered = (trait) => types.includes(trait.type) && fits(trait);
  list.offer([], "Looking for traits …");
  const none = "No trait is known here: type its name.";
  findTraits().then((traits) => list.offer(traits.filter(isOffered).map(asItem), traits.length > 0 ? "" : none));
  return list.elements;
}

// Makes the lists for a new filter, of the traits and then of one trait's values, or for a filter's change.
export function filterPicker(filters, filter, actions, choose) {
  if (!filter && filters.length >= MAX_FILTERS) {
    return h("p", `There are ${MAX_FILTERS} filters, as many as the API takes.`);
  }
  const holder = h("div.picker");
  const show = (elements) => {
    holder.replaceChildren(...elements);
    holder.querySelector("[data-first]")?.focus();
  };
  const pickValue = (one) => show(valuePicker(one, actions, choose, pickTrait));
  const pickTrait = () => show(traitPicker(actions, {
    types: Object.keys(OPERATORS),
    typed: ["string"],
    fits: ({ name }) => !name.includes("="),
    choose: ({ name, type }) => pickValue({ name, type, operator: "eq" }),
  }));
  if (filter) pickValue(filter);
  else pickTrait();
  return holder;
}

function valuePicker({ name, type, operator, value: current }, actions, choose, back) {
  const option = (kind) => ([one, words]) => (
    h("option", { value: `${kind}.${one}`, selected: kind === type && one === operator }, words));
  const is = h("select", { "aria-label": "Condition" }, Object.entries(OPERATORS).map(([kind, operators]) => (
    h("optgroup", { label: TYPES[kind] }, Object.entries(operators).map(option(kind))))));
  const condition = () => is.value.split(".");
  const pick = (value) => {
    const [kind, one] = condition();
    choose({ name, type: kind, operator: one, value });
  };
  const values = h("div.values");
  let drawn;
  const draw = () => {
    const [kind, one] = condition();
    const form = isList(one) ? "list" : kind;
    if (form === drawn) return;
    drawn = form;
    const listed = isList(operator) ? current.split(",") : [current].filter(Boolean);
    const own = form === "list" ? listed : isList(operator) ? undefined : current;
    values.replaceChildren(...VALUES[form]({ name, current: own, pick, actions }));
  };
  is.addEventListener("change", draw);
  draw();
  const label = `Another trait than ${name.slice(0, 100)}`;
  const trait = button("link", foreign(name), back, { "aria-label": label });
  return [h("div.condition", trait, h("div.chip.arrow.select", is)), values];
}

// Makes the list of a trait's values, of which those that are chosen come first. Returns its elements, and what draws
// it again.
function valueList(name, { chosen, choose, fits = () => true, words, findValues }) {
  const own = (label) => (fits(label) ? [{ label, note: "" }] : []);
  const list = finder("Search values", { choose: ({ label }) => choose(label), own });
  let found = [];
  const draw = (said) => {
    const first = [...chosen].map((label) => ({ label, note: "", isCurrent: true }));
    list.offer([...first, ...found.filter(({ label }) => !chosen.has(label) && fits(label))], said);
  };
  draw("Looking for values …");
  findValues(name).then((values) => {
    found = values;
    draw(found.length > 0 ? words : "");
  });
  return { elements: list.elements, draw: () => draw(words) };
}

// How a value of each type is picked.
const VALUES = {
  string({ name, current, pick, actions: { findValues } }) {
    const chosen = new Set(current === undefined ? [] : [current]);
    return valueList(name, { chosen, choose: pick, words: "Most frequent first", findValues }).elements;
  },

  // Several strings, which commas separate.
  list({ name, current, pick, actions: { findValues } }) {
    const fits = (text) => !text.includes(",");
    const chosen = new Set(current.filter(fits));
    const submit = button("primary", "Apply", () => pick([...chosen].join(",")), { disabled: chosen.size === 0 });
    const choose = (label) => {
      if (!chosen.delete(label) && chosen.size < MAX_LISTED) chosen.add(label);
      submit.disabled = chosen.size === 0;
      list.draw();
    };
    const list = valueList(name, { chosen, choose, fits, words: "Several may be chosen", findValues });
    return [...list.elements, submit];
  },

  number({ current, pick }) {
    const input = h("input", {
      "aria-label": "Value", placeholder: "Value", inputmode: "decimal", required: true,
      pattern: `\\s*${NUMBER}\\s*`, title: "A decimal number, such as 4, -0.5 or 1e3", value: current,
      autocomplete: "off", "data-first": true,
    });
    const submit = h("button.primary", current === undefined ? "Add" : "Change");
    return [form("row.field", () => pick(input.value.trim()), input, submit)];
  },

  boolean({ current, pick }) {
    const choice = ([value, label]) => button("option", label, () => pick(value), {
      "aria-pressed": value === current ? "true" : null, "data-first": value === "true",
    });
    return [h("div.options", Object.entries({ true: "yes", false: "no" }).map(choice))];
  },
};

// The zone of this device.
export const zoneHere = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC";

// Returns the zones to choose from, of which one is chosen.
export const zonesWith = (chosen) => (
  [...new Set([chosen, zoneHere, "UTC", ...Intl.supportedValuesOf("timeZone")])]);
