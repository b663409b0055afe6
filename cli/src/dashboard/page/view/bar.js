// The bar on top: what the page shows, as a sentence of controls.

import * as format from "../model/format.js";
import { offeredIntervals } from "../model/period.js";
import { changeFilter, predicate } from "../model/question.js";
import { button, foreign, h, menu, unseen } from "./dom.js";
import { filterForm, periodPanel, projectForm, zoneForm } from "./forms.js";

// Draws the bar of a question. `actions` has what the controls do.
export function drawBar(bar, question, actions) {
  const focused = bar.contains(document.activeElement) ? document.activeElement.dataset.control : null;
  const controls = [
    project(question, actions), period(question, actions), interval(question, actions), zone(question, actions), respondents(question, actions),
    ...question.filters.map((filter, index) => chip(question, filter, index, actions)), adder(question, actions),
  ];
  bar.replaceChildren(
    h("div.controls", controls),
    h("div.actions", actions.copyLink ? copier(actions.copyLink) : null, action("csv", "CSV", actions.saveCsv), action("print", "Print", () => window.print())),
  );
  // What had the focus has been replaced; a filter that was removed leaves it to the next one.
  if (focused) (bar.querySelector(`[data-control="${focused}"]`) ?? bar.querySelector("[data-control=filter]")).focus();
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
  const select = h("select", { "aria-label": "Interval", "data-control": "interval", onchange: () => {
    const [interval, weekStart] = select.value.split(" ");
    change({ interval, weekStart });
  } }, options.map(([value, text]) => h("option", { value, selected: value === current }, text)));
  return h("div.chip.arrow.select", select);
}

function zone(question, { change }) {
  const label = [unseen("Time zone: "), foreign(question.timezone)];
  return menu("chip.arrow", "zone", label, (close) => zoneForm(question.timezone, (timezone) => {
    close();
    change({ timezone });
  }));
}

function respondents({ respondents: which }, { change }) {
  const option = (value, text) => h("option", { value, selected: value === (which ?? "") }, text);
  const select = h("select", { "aria-label": "Which ratings count", "data-control": "respondents", onchange: () => change({ respondents: select.value || undefined }) },
    option("", "every rating"), option("latest", "each person once"));
  return h("div.chip.arrow.select", select);
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
