// The bar on top: what the page shows, as controls. On a phone, a sheet has most of them.

import * as format from "../model/format.js";
import {
  fitsYear, neighbors, offeredIntervals, presetLabel, rollingName,
} from "../model/period.js";
import { changeFilter, parsePeriod, predicate, windowOf, WINDOWS } from "../model/question.js";
import { attempt, button, copier, foreign, h, menu, unseen } from "./dom.js";
import { periodPanel, projectForm } from "./forms.js";
import { filterPicker, zonesWith } from "./pickers.js";

const RATINGS = [["", "every rating"], ["latest", "each person once"]];
const phone = matchMedia("(max-width: 37.4375rem)");
let redraw = () => {};
// The period that the question of the bar is compared with, once it is known.
let comparedWith;
phone.addEventListener("change", () => redraw());

// Draws the bar of a question. `actions` has what the controls do.
export function drawBar(bar, question, actions) {
  comparedWith = undefined;
  const focused = bar.contains(document.activeElement) ? document.activeElement.dataset.control : null;
  const filters = () => h("div.filters",
    comparison(question, actions),
    select("respondents", "Which ratings count", RATINGS, question.respondents ?? "",
      (value) => actions.change({ respondents: value || undefined })),
    question.filters.map((filter, index) => chip(question, filter, index, actions)),
    adder(question, actions));
  const rest = () => more(question, actions);
  let isPhone;
  const draw = (notes) => {
    isPhone = phone.matches;
    const label = question.filters.length > 0 ? `Options (${question.filters.length})` : "Options";
    const [first, second] = [project(question, actions), period(question, actions)];
    const parts = isPhone
      ? [first, menu("chip.arrow", "sheet", label, () => [filters(), rest()]), second]
      : [h("div.terms", first, second, filters()), menu("chip.arrow", "more", "More", rest)];
    bar.replaceChildren(...parts, ...notes);
  };
  // Some browsers report a change where nothing changed.
  redraw = () => {
    if (phone.matches !== isPhone) draw([...bar.querySelectorAll(".beside")]);
  };
  draw([]);
  if (!focused) return;
  // The control that had the focus has been replaced. The focus of a removed filter goes to *+ filter*.
  const successor = /^filter|^remove/.test(focused) ? "filter" : "more";
  (bar.querySelector(`[data-control="${focused}"]`) ?? toggler(bar, successor)).focus();
}

// Returns the control of this name or, while that is not on the page, the one whose panel has it.
const toggler = (bar, name) => (
  [name, "more", "sheet"].map((one) => bar.querySelector(`[data-control="${one}"]`)).find(Boolean));

// Shows an error beside a control of the bar, in the place of another one.
export function showBeside(bar, name, note) {
  const control = toggler(bar, name);
  note.id = `beside-${name}`;
  bar.querySelector(`#${note.id}`)?.remove();
  control.setAttribute("aria-describedby", note.id);
  control.classList.add("wrong");
  bar.append(note);
}

function project({ project: name }, actions) {
  const label = [unseen("Project: "), foreign(name), actions.isSample(name) && h("span.soft", "Sample data")];
  return menu("chip.strong", "project", label, (closing) => (
    projectForm({ ...actions, project: name }, closing(actions.openProject))));
}

function period(question, actions) {
  const label = [unseen("Period: "), presetLabel(question.period) ?? format.dates(question)];
  const chosen = menu("chip.arrow", "period", label, (closing) => periodPanel(question, actions, closing),
    { title: format.dates(question) });
  if (question.within) chosen.append(widen(question, actions));
  chosen.classList.toggle("removable", Boolean(question.within));
  const { previous, next } = neighbors(question, actions.today(question.timezone));
  const step = (control, sign, label, to) => button("chip.step", sign, () => actions.step(to), {
    "data-control": control, "aria-label": label, title: to && format.dates(to), disabled: !to,
  });
  return h("div.period", step("previous", "‹", "Previous period", previous), chosen,
    step("next", "›", "Next period", next));
}

// Makes the button that leads back from a period that was narrowed.
function widen({ within, timezone }, { change, today }) {
  const period = parsePeriod(within, today(timezone));
  const label = `Back to ${format.dates(period)}`;
  const attributes = { "data-control": "widen", "aria-label": label, title: label };
  return button("remove", "×", () => change(period), attributes);
}

// Makes the settings and actions that are rarely needed.
function more(question, actions) {
  const { change, copyLink, saveCsv } = actions;
  const { interval, period, timezone, window = "" } = question;
  const offersWindow = windowOf({ ...question, window: "90" }) !== undefined;
  const windows = [["", `each ${interval}`], ...WINDOWS.map((days) => [days, `${days} days`])];
  const setting = (label, control) => h("div.setting", h("span", { "aria-hidden": "true" }, label), control);
  const intervals = offeredIntervals(question).map((one) => [one, one]);
  const rolling = rollingName(period);
  const action = (control, label, onclick) => button("option", label, onclick, { "data-control": control });
  const csv = (part, label) => attempt(`csv-${part}`, label, () => saveCsv(part));
  return [
    setting("Interval", select("interval", "Interval", intervals, interval,
      (value) => change({ interval: value }))),
    offersWindow && setting("Window", select("window", "Window", windows, window,
      (value) => change({ window: value || undefined }))),
    setting("Target", target(question, actions)),
    setting("Time zone", select("zone", "Time zone", zonesWith(timezone).map((one) => [one, one]), timezone,
      (value) => change({ timezone: value }))),
    h("div.options", csv("interval", "Save intervals as CSV"),
      question.group && csv("group", "Save groups as CSV"), action("print", "Print", () => print()),
      copyLink && copier("copy", rolling ? `Copy link to ${rolling}` : "Copy link", () => copyLink(question)),
      copyLink && rolling && copier("copy-dates", "Copy link to these dates",
        () => copyLink({ ...question, period: undefined })),
      actions.isKeyHeld() && action("forget", "Forget the key", actions.forgetKey)),
  ];
}

// Makes the field of the score that one wants to reach.
function target({ target: value }, { look }) {
  const onchange = () => input.checkValidity() && look({ target: input.value && String(Number(input.value)) });
  const range = { type: "number", min: "-100", max: "100", step: "0.1", placeholder: "none" };
  const input = h("input.search", { ...range, value, "aria-label": "Target", "data-control": "target", onchange });
  return input;
}

// Makes the choice of what the period is compared with, which the API finds.
function comparison(question, { change }) {
  const { before = "" } = question;
  const options = [["", "vs the period before"], ["year", "vs a year earlier"], ["none", "vs nothing"]]
    .filter(([value]) => value !== "year" || fitsYear(question))
    .map(([value, words]) => [value, value === before ? (nameOfCompared() ?? words) : words]);
  return select("comparison", "What the period is compared with", options, before,
    (value) => change({ before: value || undefined }));
}

const nameOfCompared = () => comparedWith && `vs ${format.dates(comparedWith)}`;

// Names the period in that choice, once the API's answer has it.
export function showCompared(bar, period) {
  comparedWith = period;
  const chosen = bar.querySelector("[data-control=comparison]")?.selectedOptions[0];
  if (chosen) chosen.textContent = nameOfCompared();
}

function select(control, label, options, current, chosen) {
  const option = ([value, text]) => h("option", { value, selected: value === current }, text);
  const onchange = () => chosen(input.value);
  const input = h("select", { "aria-label": label, "data-control": control, onchange }, options.map(option));
  return h("div.chip.arrow.select", input);
}

function chip({ filters }, filter, index, actions) {
  const remove = () => actions.change({ filters: filters.toSpliced(index, 1) });
  const replace = (other) => actions.change({ filters: changeFilter(filters, index, other) });
  const edit = menu("chip.filter", `filter-${index}`, [unseen("Filter: "), words(filter)],
    (closing) => filterPicker(filters, filter, actions, closing(replace)));
  const label = `Remove the filter on ${filter.name.slice(0, 100)}`;
  edit.classList.add("removable");
  edit.append(button("remove", "×", remove, { "data-control": `remove-${index}`, "aria-label": label }));
  return edit;
}

function adder({ filters }, actions) {
  return menu("chip.dashed", "filter", "+ filter", (closing) => (
    filterPicker(filters, null, actions, closing(actions.addFilter))));
}

const words = (filter) => [foreign(filter.name), " ", foreign(predicate(filter))];

// Says the question in words.
export function questionWords(question) {
  const { project, interval, timezone, respondents, filters } = question;
  const window = windowOf(question);
  const which = `${window ? ` · ${window} days each` : ""}${respondents ? " · each person once" : ""}`;
  const terms = ` · ${format.dates(question)} · by ${interval} · ${timezone}${which}`;
  return [foreign(project), terms, ...filters.flatMap((filter) => [" · ", ...words(filter)])];
}
