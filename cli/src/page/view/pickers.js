// Lists from which something is picked with one click: traits, their values, and time zones.

import { MAX_FILTERS, NUMBER, OPERATORS, TYPES } from "../model/question.js";
import { button, foreign, h } from "./dom.js";

// Makes a search field and the list that it narrows. `own` returns the items that stand for a text which the list lacks.
function finder(label, { choose, own }) {
  const input = h("input.search", { type: "search", placeholder: label, "aria-label": label, maxlength: "1024", spellcheck: "false", autocomplete: "off", "data-first": true });
  const [list, note] = [h("div.options"), h("p.hint", { role: "status" })];
  let items = [];
  const draw = () => {
    const text = input.value.trim();
    const fits = items.filter((item) => item.label.toLowerCase().includes(text.toLowerCase())).slice(0, 100);
    const exact = fits.filter((item) => text && item.label === text);
    const all = [...exact, ...fits.filter((item) => !exact.includes(item)), ...(text && exact.length === 0 ? own(text) : [])];
    list.replaceChildren(...all.map((item) => button("option", [foreign(item.label), h("span.soft", item.note)], () => choose(item), { "aria-pressed": item.isCurrent ? "true" : null })));
  };
  input.addEventListener("input", draw);
  input.addEventListener("keydown", (event) => {
    if (!["Enter", "ArrowDown"].includes(event.key)) return;
    event.preventDefault();
    list.firstChild?.[event.key === "Enter" && input.value ? "click" : "focus"]();
  });
  list.addEventListener("keydown", (event) => {
    const to = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    if (!to) return;
    event.preventDefault();
    (document.activeElement[to] ?? (event.key === "ArrowUp" ? input : null))?.focus();
  });
  return {
    elements: [input, note, list],
    offer(found, words) {
      const hadFocus = list.contains(document.activeElement);
      items = found;
      note.textContent = words;
      draw();
      if (hadFocus) input.focus();
    },
  };
}

const asItem = ({ name, type }) => ({ name, type, label: name, note: TYPES[type] });

// Makes the list of the traits of these types that fit. A name that it lacks can be typed, which is then of one of the types
// of `typed`.
export function traitPicker({ traits, findTraits }, { types, typed = types, fits, choose }) {
  const list = finder("Search traits", { choose, own: (name) => typed.map((type) => asItem({ name, type })).filter(fits) });
  const offer = (known, words) => list.offer(known.filter((trait) => types.includes(trait.type) && fits(trait)).map(asItem), words);
  offer(traits(), "Looking for traits …");
  findTraits().then((known) => offer(known, known.length > 0 ? "" : "No trait is known here: type its name."));
  return list.elements;
}

// Makes the lists of a new filter or, if there is one, for its change: first of the traits, then of the values of one.
export function filterPicker(question, filter, actions, choose) {
  if (!filter && question.filters.length >= MAX_FILTERS) return h("p", `There are ${MAX_FILTERS} filters, as many as the API takes.`);
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
  const option = (kind) => ([one, words]) => h("option", { value: `${kind}.${one}`, selected: kind === type && one === operator }, words);
  const is = h("select", { "aria-label": "Condition" }, Object.entries(OPERATORS).map(([kind, operators]) => h("optgroup", { label: TYPES[kind] }, Object.entries(operators).map(option(kind)))));
  const condition = () => is.value.split(".");
  const pick = (value) => {
    const [kind, one] = condition();
    choose({ name, type: kind, operator: one, value });
  };
  const values = h("div.values");
  let drawn;
  const draw = () => {
    const [kind] = condition();
    if (kind === drawn) return;
    drawn = kind;
    values.replaceChildren(...VALUES[kind]({ name, current, pick, actions }));
  };
  is.addEventListener("change", draw);
  draw();
  const trait = button("link", foreign(name), back, { "aria-label": `Another trait than ${name.slice(0, 100)}` });
  return [h("div.condition", trait, h("div.chip.arrow.select", is)), values];
}

// How a value of each type is picked.
const VALUES = {
  string({ name, current, pick, actions }) {
    const list = finder("Search values", { choose: ({ label }) => pick(label), own: (label) => [{ label, note: "" }] });
    const known = current === undefined ? [] : [{ label: current, note: "", isCurrent: true }];
    list.offer(known, "Looking for values …");
    actions.findValues(name).then((found) => list.offer([...known, ...found.filter(({ label }) => label !== current)], found.length > 0 ? "Most frequent first" : ""));
    return list.elements;
  },

  number({ current, pick }) {
    const input = h("input", { "aria-label": "Value", inputmode: "decimal", required: true, pattern: `\\s*${NUMBER}\\s*`, title: "A decimal number, such as 4, -0.5 or 1e3", value: current, autocomplete: "off", "data-first": true });
    return [h("form.row.field", { onsubmit: (event) => {
      event.preventDefault();
      pick(input.value.trim());
    } }, input, h("button.primary", current === undefined ? "Add" : "Change"))];
  },

  boolean({ current, pick }) {
    const choice = ([value, label]) => button("option", label, () => pick(value), { "aria-pressed": value === current ? "true" : null, "data-first": value === "true" });
    return [h("div.options", Object.entries({ true: "yes", false: "no" }).map(choice))];
  },
};

const zones = Intl.supportedValuesOf?.("timeZone") ?? [];

export function zonePicker(timezone, choose) {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const list = finder("Search time zones", { choose: ({ label }) => choose(label), own: (label) => [{ label, note: "" }] });
  const names = [...new Set([here, "UTC", ...zones])].filter(Boolean);
  list.offer(names.map((label) => ({ label, note: label === here ? "this device" : "", isCurrent: label === timezone })), "Days, weeks and months begin at midnight there.");
  return list.elements;
}
