// The bar on top: what the page shows, as a sentence of controls.

import { predicate, withFilter } from "../model/filters.js";
import * as format from "../model/format.js";
import { offeredIntervals } from "../model/period.js";
import { foreign, h, unseen } from "./dom.js";
import { filterForm } from "./filter-form.js";
import { menu } from "./menu.js";
import { periodPanel } from "./period-panel.js";
import { projectForm } from "./project-form.js";
import { zoneForm } from "./zone-form.js";

// Draws the bar of a question. `actions` has what the controls do.
export function drawBar(bar, question, actions) {
  const focused = bar.contains(document.activeElement) ? document.activeElement.dataset.control : null;
  const controls = [
    project(question, actions), period(question, actions), interval(question, actions), zone(question, actions),
    ...question.filters.map((filter, index) => chip(question, filter, index, actions)), adder(question, actions),
  ];
  bar.replaceChildren(
    h("div", { class: "controls" }, controls),
    h("div", { class: "actions" }, actions.copyLink ? copier(actions.copyLink) : null, button("csv", "CSV", actions.saveCsv), button("print", "Print", () => window.print())),
  );
  // What had the focus has been replaced; a filter that was removed leaves it to the next one.
  if (focused) (bar.querySelector(`[data-control="${focused}"]`) ?? bar.querySelector("[data-control=filter]")).focus();
}

function button(control, label, onclick) {
  return h("button", { type: "button", class: "chip", "data-control": control, onclick }, label);
}

function copier(copyLink) {
  const copy = button("copy", "Copy link", async () => {
    await copyLink();
    copy.textContent = "Copied";
    setTimeout(() => copy.replaceChildren("Copy link"), 2000);
  });
  return copy;
}

function project({ project: name }, actions) {
  const label = [unseen("Project: "), foreign(name)];
  return menu(label, { class: "chip strong", "data-control": "project" }, (close) => projectForm({ project: name, needsKey: actions.needsKey }, (chosen) => {
    close();
    actions.openProject(chosen);
  })).element;
}

function period(question, actions) {
  const label = [unseen("Period: "), format.dates(question)];
  return menu(label, { class: "chip arrow", "data-control": "period" }, (close) => periodPanel(question, actions, close)).element;
}

function interval(question, { change }) {
  const options = offeredIntervals(question).flatMap((one) => (one === "week" ? [["week", "by week"], ["week sunday", "by week from Sunday"]] : [[one, `by ${one}`]]));
  const current = question.weekStart ? `week ${question.weekStart}` : question.interval;
  const select = h("select", { "aria-label": "Interval", "data-control": "interval", onchange: () => {
    const [interval, weekStart] = select.value.split(" ");
    change({ interval, weekStart });
  } }, options.map(([value, text]) => h("option", { value, selected: value === current }, text)));
  return h("div", { class: "chip arrow select" }, select);
}

function zone(question, { change }) {
  const label = [unseen("Time zone: "), foreign(question.timezone)];
  return menu(label, { class: "chip arrow", "data-control": "zone" }, (close) => zoneForm(question.timezone, (timezone) => {
    close();
    change({ timezone });
  })).element;
}

function chip(question, filter, index, actions) {
  const remove = () => actions.change({ filters: question.filters.toSpliced(index, 1) });
  const words = [foreign(filter.name), " ", foreign(predicate(filter))];
  const edit = menu([unseen("Filter: "), words], { class: "chip filter", "data-control": `filter-${index}` }, (close) => filterForm(question, filter, actions, (changed) => {
    close();
    actions.change({ filters: withFilter(question.filters.toSpliced(index, 1), changed) });
  }));
  edit.element.classList.add("removable");
  edit.element.append(h("button", { type: "button", class: "remove", "data-control": `remove-${index}`, "aria-label": `Remove the filter on ${filter.name.slice(0, 100)}`, onclick: remove }, "×"));
  return edit.element;
}

function adder(question, actions) {
  return menu("+ filter", { class: "chip dashed", "data-control": "filter" }, (close) => filterForm(question, null, actions, (filter) => {
    close();
    actions.change({ filters: withFilter(question.filters, filter) });
  })).element;
}

// Draws the question as a line of text, for paper.
export function questionLine(question) {
  const filters = question.filters.map((filter) => [" · ", foreign(filter.name), " ", foreign(predicate(filter))]);
  return h("p", { class: "on-paper" }, foreign(question.project), ` · ${format.dates(question)} · by ${question.interval} · ${question.timezone}`, filters);
}
