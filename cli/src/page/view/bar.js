// The bar on top: what the page shows, as controls. On a phone, most of them are in a sheet.

import * as format from "../model/format.js";
import { offeredIntervals, yearEarlier } from "../model/period.js";
import { changeFilter, predicate } from "../model/question.js";
import { comparedWith } from "../model/sentences.js";
import { button, foreign, h, menu, unseen } from "./dom.js";
import { periodPanel, projectForm } from "./forms.js";
import { filterPicker, zonePicker } from "./pickers.js";

const phone = matchMedia("(max-width: 599px)");
let redraw = () => {};
phone.addEventListener("change", () => redraw());

// Draws the bar of a question. `actions` has what the controls do.
export function drawBar(bar, question, actions) {
  const focused = bar.contains(document.activeElement) ? document.activeElement.dataset.control : null;
  const filters = () => [comparison(question, actions), ...question.filters.map((filter, index) => chip(question, filter, index, actions)), adder(question, actions)];
  let isPhone;
  const draw = (notes) => {
    isPhone = phone.matches;
    bar.replaceChildren(
      project(question, actions), period(question, actions),
      ...(isPhone ? [sheet(question, () => [h("div.filters", filters()), more(question, actions)])] : [...filters(), menu("chip.arrow", "more", "More", () => more(question, actions))]),
      ...notes);
  };
  // Some browsers tell of changes that are none.
  redraw = () => {
    if (phone.matches !== isPhone) draw([...bar.querySelectorAll(".beside")]);
  };
  draw([]);
  if (question.replaced) showBeside(bar, "interval", h("div.beside", `A trend by ${question.replaced} does not fit this period: it is by ${question.interval}.`));
  // What had the focus has been replaced; a filter that was removed leaves it to the next one.
  if (focused) (bar.querySelector(`[data-control="${focused}"]`) ?? toggler(bar, /^filter|^remove/.test(focused) ? "filter" : "more")).focus();
}

// Returns the control of this name or, while that is not on the page, the one whose panel has it.
function toggler(bar, name) {
  return ["more", "sheet"].reduce((found, other) => found ?? bar.querySelector(`[data-control="${other}"]`), bar.querySelector(`[data-control="${name}"]`));
}

// Shows a note beside a control of the bar, in the place of another one; an error if it is an alert.
export function showBeside(bar, name, note) {
  const control = toggler(bar, name);
  note.id = `beside-${name}`;
  bar.querySelector(`#${note.id}`)?.remove();
  control.setAttribute("aria-describedby", note.id);
  control.classList.toggle("wrong", note.getAttribute("role") === "alert");
  bar.append(note);
}

function project({ project: name }, actions) {
  const label = [unseen("Project: "), foreign(name), actions.isSample(name) && h("span.soft", "Sample data")];
  return menu("chip.strong", "project", label, (close) => projectForm({ ...actions, project: name }, (chosen) => {
    close();
    actions.openProject(chosen);
  }));
}

function period(question, actions) {
  const label = [unseen("Period: "), format.dates(question)];
  return menu("chip.arrow", "period", label, (close) => periodPanel(question, actions, close));
}

function sheet({ filters: { length } }, build) {
  return menu("chip.arrow", "sheet", length > 0 ? `Filters (${length})` : "Filters", build);
}

// Makes what is rarely changed.
function more(question, actions) {
  const { change, look, copyLink } = actions;
  const labeled = (label, control) => h("div.setting", h("span", { "aria-hidden": "true" }, label), control);
  const scales = [["", "fitted"], ["full", "−100 to +100"]];
  const action = (control, label, onclick) => button("option", label, onclick, { "data-control": control });
  const copy = copyLink && action("copy", "Copy link", async () => {
    await copyLink();
    copy.textContent = "Copied";
  });
  return [
    labeled("Interval", select("interval", "Interval", offeredIntervals(question).map((one) => [one, one]), question.interval, (interval) => change({ interval }))),
    labeled("Time zone", zone(question, actions)),
    labeled("Ratings", select("respondents", "Which ratings count", [["", "every rating"], ["latest", "each person once"]], question.respondents ?? "", (value) => change({ respondents: value || undefined }))),
    labeled("Scale", select("scale", "Scale of the trend", scales, question.scale ?? "", (value) => look({ scale: value || undefined }))),
    h("div.options", action("csv", "Save as CSV", actions.saveCsv), action("print", "Print", () => window.print()), copy,
      actions.isKeyHeld() ? action("forget", "Forget the key", actions.forgetKey) : null),
  ];
}

function zone(question, { change }) {
  const label = [unseen("Time zone: "), foreign(question.timezone)];
  return menu("chip.arrow", "zone", label, (close) => zonePicker(question.timezone, (timezone) => {
    close();
    change({ timezone });
  }));
}

function comparison(question, { change }) {
  const { before = "" } = question;
  const earlier = yearEarlier(question);
  const options = [["", "vs previous"], ...(earlier ? [[earlier, "vs year before"]] : []), ["none", "vs nothing"]];
  if (!options.some(([value]) => value === before)) options.push([before, `vs ${comparedWith(question)}`]);
  return select("comparison", "What the period is compared with", options, before, (value) => change({ before: value || undefined }));
}

function select(control, label, options, current, chosen) {
  const input = h("select", { "aria-label": label, "data-control": control, onchange: () => chosen(input.value) },
    options.map(([value, text]) => h("option", { value, selected: value === current }, text)));
  return h("div.chip.arrow.select", input);
}

function chip(question, filter, index, actions) {
  const remove = () => actions.change({ filters: question.filters.toSpliced(index, 1) });
  const words = [foreign(filter.name), " ", foreign(predicate(filter))];
  const edit = menu("chip.filter", `filter-${index}`, [unseen("Filter: "), words], (close) => filterPicker(question, filter, actions, (changed) => {
    close();
    actions.change({ filters: changeFilter(question.filters, index, changed) });
  }));
  edit.classList.add("removable");
  edit.append(button("remove", "×", remove, { "data-control": `remove-${index}`, "aria-label": `Remove the filter on ${filter.name.slice(0, 100)}` }));
  return edit;
}

function adder(question, actions) {
  return menu("chip.dashed", "filter", "+ filter", (close) => filterPicker(question, null, actions, (filter) => {
    close();
    actions.addFilter(filter);
  }));
}

// Says the question in words.
export function questionWords(question) {
  const filters = question.filters.map((filter) => [" · ", foreign(filter.name), " ", foreign(predicate(filter))]);
  const which = question.respondents ? " · each person once" : "";
  return [foreign(question.project), ` · ${format.dates(question)} · by ${question.interval} · ${question.timezone}${which}`, ...filters.flat()];
}
