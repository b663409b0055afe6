// The forms in the panels of the bar.

import { isKey } from "../api.js";
import * as format from "../model/format.js";
import { addDays, PRESETS } from "../model/period.js";
import { MAX_FILTERS, OPERATORS, TYPES } from "../model/question.js";
import { button, foreign, h } from "./dom.js";

let count = 0;

// Makes an input with its label. `hint` stands under it.
function field(label, attributes, hint) {
  count += 1;
  const id = `field-${count}`;
  const input = h("input", { id, spellcheck: "false", autocomplete: "off", "aria-describedby": hint ? `${id}-hint` : null, ...attributes });
  const element = h("div.field", h("label", { for: id }, label), input, hint ? h("p.hint", { id: `${id}-hint` }, hint) : null);
  return { element, input };
}

// Makes a choice with its label.
function choice(label, options, selected) {
  count += 1;
  const id = `field-${count}`;
  const option = ([value, text]) => h("option", { value, selected: value === selected }, text);
  const input = h("select", { id }, Object.entries(options).map(option));
  return { element: h("div.field", h("label", { for: id }, label), input), input };
}

// Makes a list of options for fields: those of the field that had the focus last, narrowed by what is typed there.
function suggestions() {
  const [list, note] = [h("div.options"), h("p.hint", { role: "status" })];
  let source = {};
  let typed = "";
  const draw = () => {
    const { items = [], choose } = source;
    const fits = items.filter(({ value }) => value.toLowerCase().includes(typed.toLowerCase())).slice(0, 100);
    list.replaceChildren(...fits.map((item) => button("option", [foreign(item.value), h("span.soft", item.note)], () => choose(item))));
  };
  list.addEventListener("keydown", (event) => {
    const to = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    if (!to) return;
    event.preventDefault();
    (document.activeElement[to] ?? (event.key === "ArrowUp" ? source.input : null))?.focus();
  });
  return {
    elements: [note, list],
    // Offers items where a field has the focus, or has had it last.
    offer(input, items, choose, words = "") {
      const had = list.contains(document.activeElement);
      source = { input, items, choose };
      note.textContent = words;
      draw();
      if (had) input.focus();
    },
    // Calls `start`, which offers what the field has, when it gets the focus; typing there narrows that.
    attend(input, start) {
      input.addEventListener("focus", () => {
        if (source.input === input) return;
        typed = "";
        start();
      });
      input.addEventListener("input", () => {
        typed = input.value.trim();
        draw();
      });
      input.addEventListener("keydown", (event) => {
        if (event.key !== "ArrowDown" || !list.firstChild) return;
        event.preventDefault();
        list.firstChild.focus();
      });
    },
    isOf: (input) => source.input === input,
  };
}

// Makes the fields of a trait: its name, with traits of these types offered in `list`, and its type, which follows an
// offered name. `choose` is called with an offered one, and `changed` when a field changes; `isFixed` says whether the type
// stays when traits are found late.
export function traitFields({ traits, findTraits }, { types, fits = () => true, choose, changed = () => {}, isFixed = () => false, list = suggestions() }) {
  const name = field("Trait", { name: "trait", required: true, maxlength: "255", "data-first": true, placeholder: "its name" });
  const type = choice("Type", Object.fromEntries(types.map((one) => [one, TYPES[one]])), types[0]);
  let usable = [];
  let isChosen = false;
  let words = "Looking for traits …";
  const follow = () => {
    const trait = usable.find((one) => one.name === name.input.value);
    if (trait && !isChosen) type.input.value = trait.type;
    changed();
  };
  const offer = () => list.offer(name.input, usable.map((trait) => ({ ...trait, value: trait.name, note: TYPES[trait.type] })), choose, words);
  const know = (known) => {
    usable = known.filter((trait) => types.includes(trait.type) && fits(trait));
    if (list.isOf(name.input)) offer();
  };
  list.attend(name.input, offer);
  know(traits());
  offer();
  findTraits().then((known) => {
    words = known.length > 0 ? "" : "No trait is known here: type its name.";
    know(known);
    if (!isFixed()) follow();
  });
  name.input.addEventListener("input", follow);
  type.input.addEventListener("change", () => {
    isChosen = true;
    changed();
  });
  return { list: list.elements, elements: [name.element, type.element], name: name.input, type: type.input };
}

// Makes the panel. The last day is shown, where the API has the end, which is exclusive.
export function periodPanel(question, { change, today, findAll }, close) {
  const choose = (period) => {
    close();
    change({ before: undefined, ...period });
  };
  const now = today(question.timezone);
  const preset = ({ label, interval, period }) => {
    const chosen = period(now, question.weekStart);
    const current = chosen.start === question.start && chosen.end === question.end;
    return button("option", [h("span", label), h("span.soft", format.dates(chosen))], () => choose({ interval, ...chosen }), { "aria-pressed": String(current) });
  };
  const status = h("p.hint", { role: "status" });
  const all = button("option", [h("span", "All"), h("span.soft", "all the data")], async () => {
    status.textContent = "Looking how far the data goes …";
    const { period, words } = await findAll();
    if (period) choose(period);
    else status.textContent = words;
  });
  return [h("div.options", PRESETS.map(preset), all), status, ownDates(question, choose)];
}

function ownDates(question, choose) {
  const first = field("First day", { type: "date", required: true, min: "0001-01-01", max: "9999-12-30", value: question.start });
  const last = field("Last day", { type: "date", required: true, min: "0001-01-01", max: "9999-12-30", value: addDays(question.end, -1) });
  const check = () => last.input.setCustomValidity(last.input.value && first.input.value > last.input.value ? "The last day is before the first." : "");
  for (const { input } of [first, last]) input.addEventListener("input", check);
  return h("form.row", { onsubmit: (event) => {
    event.preventDefault();
    choose({ start: first.input.value, end: addDays(last.input.value, 1) });
  } }, first.element, last.element, h("button.primary", "Show"));
}

export const zones = Intl.supportedValuesOf?.("timeZone") ?? [];

export function zoneForm(timezone, choose) {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zone = field("Time zone", { required: true, maxlength: "64", value: timezone, "data-first": true }, "Days, weeks and months begin at midnight there.");
  const list = suggestions();
  const items = [...new Set([here, "UTC", ...zones])].filter(Boolean).map((value) => ({ value, note: value === here ? "this device" : "" }));
  list.attend(zone.input, () => list.offer(zone.input, items, ({ value }) => choose(value)));
  zone.input.addEventListener("focus", () => zone.input.select());
  return [h("form.row", { onsubmit: (event) => {
    event.preventDefault();
    choose(zone.input.value.trim());
  } }, zone.element, h("button.primary", "Show")), ...list.elements];
}

// What the API takes for a decimal number.
const NUMBER = "\\s*[+\\-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+\\-]?[0-9]+)?\\s*";

// Makes the form, for a new filter or for a change of `filter`. `actions` finds the traits, and the values of one.
export function filterForm(question, filter, actions, choose) {
  if (!filter && question.filters.length >= MAX_FILTERS) return h("p", `There are ${MAX_FILTERS} filters, as many as the API takes.`);
  const operator = choice("Condition", OPERATORS.string);
  const value = h("div.value");
  const list = suggestions();
  const trait = traitFields(actions, {
    list,
    types: Object.keys(OPERATORS),
    fits: ({ name }) => !name.includes("="),
    choose: ({ name, type }) => {
      [trait.name.value, trait.type.value] = [name, type];
      draw();
      input.focus();
    },
    changed: () => draw(),
    isFixed: () => filter || input.value !== "",
  });
  let input;
  let drawn;

  const draw = () => {
    const type = trait.type.value;
    if (type !== drawn) {
      drawn = type;
      operator.input.replaceChildren(...Object.entries(OPERATORS[type]).map(([name, words]) => h("option", { value: name }, words)));
      const made = type === "boolean" ? choice("Value", { true: "yes", false: "no" }) : field("Value", type === "number" ? { inputmode: "decimal", required: true, pattern: NUMBER, title: "A decimal number, such as 4, -0.5 or 1e3" } : { maxlength: "1024" });
      input = made.input;
      value.replaceChildren(made.element);
      list.attend(input, offerValues);
    }
    trait.name.setCustomValidity(trait.name.value.includes("=") ? "A name with = cannot be filtered here." : "");
  };
  const offerValues = async () => {
    const [name, at] = [trait.name.value, input];
    const offer = (values, words) => list.offer(at, values, ({ value: chosen }) => {
      at.value = chosen;
      form.requestSubmit();
    }, words);
    if (drawn !== "string" || name === "") return offer([]);
    offer([], "Looking for values …");
    const values = await actions.findValues(name);
    if (list.isOf(at)) offer(values, values.length > 0 ? "Most frequent first" : "");
  };

  if (filter) Object.assign(trait.name, { value: filter.name });
  if (filter) trait.type.value = filter.type;
  draw();
  if (filter) [operator.input.value, input.value] = [filter.operator, filter.value];
  const form = h("form.filter-form", { onsubmit: (event) => {
    event.preventDefault();
    choose({ name: trait.name.value, type: trait.type.value, operator: operator.input.value, value: drawn === "number" ? input.value.trim() : input.value });
  } }, trait.elements, operator.element, value, h("button.primary", filter ? "Change" : "Add"));
  return [form, ...trait.list];
}

// Makes the form. `needsKey` says whether a project's key has to be typed.
export function projectForm({ project, needsKey, problem }, choose) {
  const name = field("Project", { name: "project", required: true, maxlength: "64", pattern: "[A-Za-z0-9_\\-]+", title: "Letters, digits, _ and -", value: project ?? null });
  const key = field("Read Key", { name: "read-key", type: "password" }, "Sent to this address alone, and never part of a link. A new project gets one from feedback credentials create-read-key --project NAME.");
  const keep = h("input", { type: "checkbox", id: "keep-key" });
  const secret = h("div.secret", key.element, h("p.check", keep, h("label", { for: "keep-key" }, "Keep the key until this tab is closed")));
  const update = () => {
    secret.hidden = !needsKey(name.input.value);
    key.input.required = !secret.hidden;
  };
  name.input.addEventListener("input", update);
  key.input.addEventListener("input", () => {
    const typed = key.input.value.trim();
    key.input.setCustomValidity(typed === "" || isKey(typed) ? "" : "A key has neither spaces nor letters beyond ASCII.");
  });
  update();
  (project ? key : name).input.setAttribute("data-first", "");
  return h("form.project-form", { onsubmit: (event) => {
    event.preventDefault();
    choose({ project: name.input.value, key: secret.hidden ? undefined : key.input.value.trim(), keep: keep.checked });
  } }, problem ? h("p.problem", { role: "alert" }, problem) : null, name.element, secret, h("button.primary", "Open"));
}
