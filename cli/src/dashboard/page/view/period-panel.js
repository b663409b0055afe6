// The choice of a period: presets, all, and own dates.

import { addDays } from "../model/calendar.js";
import * as format from "../model/format.js";
import { PRESETS } from "../model/period.js";
import { button, h } from "./dom.js";
import { field } from "./fields.js";

// Makes the panel. The last day is shown, where the API has the end, which is exclusive.
export function periodPanel(question, { change, today, findAll }, close) {
  const choose = (period) => {
    close();
    change({ before: undefined, ...period });
  };
  const now = today(question.timezone);
  const preset = ({ label, period }) => {
    const chosen = period(now);
    const current = chosen.start === question.start && chosen.end === question.end;
    return button("option", [h("span", label), h("span.soft", format.dates(chosen))], () => choose(chosen), { "aria-pressed": String(current) });
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
