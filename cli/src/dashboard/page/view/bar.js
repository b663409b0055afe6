// The bar on top: what the page shows, as a sentence of controls.

import * as format from "../model/format.js";
import { offeredIntervals, yearEarlier } from "../model/period.js";
import { changeFilter, predicate } from "../model/question.js";
import { comparedWith } from "../model/sentences.js";
import { button, foreign, h, menu, unseen } from "./dom.js";
import { filterForm, periodPanel, projectForm, zoneForm } from "./forms.js";

// Draws the bar of a question. `actions` has what the controls do.
export function drawBar(bar, question, actions) {
  const focused = bar.contains(document.activeElement) ? document.activeElement.dataset.control : null;
  const controls = [
    project(question, actions), period(question, actions), interval(question, actions), comparison(question, actions), zone(question, actions), respondents(question, actions),
    ...question.filters.map((filter, index) => chip(question, filter, index, actions)), adder(question, actions),
  ];
  bar.replaceChildren(
    h("div.controls", controls),
    h("div.actions", actions.copyLink ? copier(actions.copyLink) : null, action("csv", "CSV", actions.saveCsv), action("print", "Print", () => window.print())),
  );
  if (question.replaced) showBeside(bar, "interval", h("div.beside", `A trend by ${question.replaced} does not fit this period: it is by ${question.interval}.`));
  // What had the focus has been replaced; a filter that was removed leaves it to the next one.
  if (focused) (bar.querySelector(`[data-control="${focused}"]`) ?? bar.querySelector("[data-control=filter]")).focus();
}

// Shows a note beside a control of the bar, in the place of another one; an error if it is an alert.
export function showBeside(bar, name, note) {
  const control = bar.querySelector(`[data-control="${name}"]`);
  const place = control.closest(".controls > *");
  if (place.nextElementSibling?.matches(".beside")) place.nextElementSibling.remove();
  note.id = `beside-${name}`;
  control.setAttribute("aria-describedby", note.id);
  control.classList.toggle("wrong", note.getAttribute("role") === "alert");
  place.after(note);
}

function action(control, label, onclick) {
  return button("chip", label, onclick, { "data-control": control });
}

function copier(copyLink) {
  const copy = action("copy", "Copy link", async () => {
    await copyLink();
    copy.textContent = "Copied";
    setTimeout(() => copy.replaceChildren("Copy link"), 2000);
  });
  return copy;
}

function project({ project: name }, actions) {
  const label = [unseen("Project: "), foreign(name)];
  return menu("chip.strong", "project", label, (close) => projectForm({ project: name, needsKey: actions.needsKey }, (chosen) => {
    close();
    actions.openProject(chosen);
  }));
}

function period(question, actions) {
  const label = [unseen("Period: "), format.dates(question)];
  return menu("chip.arrow", "period", label, (close) => periodPanel(question, actions, close));
}

function interval(question, { change }) {
  const options = offeredIntervals(question).flatMap((one) => (one === "week" ? [["week", "by week"], ["week sunday", "by week from Sunday"]] : [[one, `by ${one}`]]));
  const current = question.weekStart ? `week ${question.weekStart}` : question.interval;
  return select("interval", "Interval", options, current, (value) => {
    const [interval, weekStart] = value.split(" ");
    change({ interval, weekStart });
  });
}

function zone(question, { change }) {
  const label = [unseen("Time zone: "), foreign(question.timezone)];
  return menu("chip.arrow", "zone", label, (close) => zoneForm(question.timezone, (timezone) => {
    close();
    change({ timezone });
  }));
}

function respondents({ respondents: which = "" }, { change }) {
  return select("respondents", "Which ratings count", [["", "every rating"], ["latest", "each person once"]], which, (value) => change({ respondents: value || undefined }));
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
  const edit = menu("chip.filter", `filter-${index}`, [unseen("Filter: "), words], (close) => filterForm(question, filter, actions, (changed) => {
    close();
    actions.change({ filters: changeFilter(question.filters, index, changed) });
  }));
  edit.classList.add("removable");
  edit.append(button("remove", "×", remove, { "data-control": `remove-${index}`, "aria-label": `Remove the filter on ${filter.name.slice(0, 100)}` }));
  return edit;
}

function adder(question, actions) {
  return menu("chip.dashed", "filter", "+ filter", (close) => filterForm(question, null, actions, (filter) => {
    close();
    actions.addFilter(filter);
  }));
}

// Draws the question as a line of text, for paper.
export function questionLine(question) {
  const filters = question.filters.map((filter) => [" · ", foreign(filter.name), " ", foreign(predicate(filter))]);
  const which = question.respondents ? " · each person once" : "";
  return h("p.on-paper", foreign(question.project), ` · ${format.dates(question)} · by ${question.interval} · ${question.timezone}${which}`, filters);
}
