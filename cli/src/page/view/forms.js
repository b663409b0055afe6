// The forms: the panel of the period, and the one that opens a project.

import { isKey } from "../api.js";
import * as format from "../model/format.js";
import { addDays, PRESETS } from "../model/period.js";
import { button, h } from "./dom.js";

let count = 0;

// Makes an input with its label. `hint` stands under it.
function field(label, attributes, hint) {
  count += 1;
  const id = `field-${count}`;
  const input = h("input", { id, spellcheck: "false", autocomplete: "off", "aria-describedby": hint ? `${id}-hint` : null, ...attributes });
  const element = h("div.field", h("label", { for: id }, label), input, hint ? h("p.hint", { id: `${id}-hint` }, hint) : null);
  return { element, input };
}

// Makes the panel. The last day is shown, where the API has the end, which is exclusive.
export function periodPanel(question, { change, today, findAll }, close) {
  const choose = (period) => {
    close();
    change({ before: undefined, interval: undefined, ...period });
  };
  const now = today(question.timezone);
  const preset = ({ label, interval, period }) => {
    const chosen = period(now);
    const isCurrent = chosen.start === question.start && chosen.end === question.end;
    return button("option", [h("span", label), h("span.soft", format.dates(chosen))], () => choose({ interval, ...chosen }), { "aria-pressed": String(isCurrent) });
  };
  const status = h("p.hint", { role: "status" });
  const all = button("option", [h("span", "All"), h("span.soft", "all the data")], async () => {
    status.textContent = "Looking how far the data goes …";
    const { period, words } = await findAll();
    if (period) choose(period);
    else status.textContent = words;
  });
  return [h("div.options.presets", PRESETS.map(preset), all), status, ownDates(question, choose)];
}

function ownDates({ start, end, interval }, choose) {
  const first = field("First day", { type: "date", required: true, min: "0001-01-01", max: "9999-12-30", value: start });
  const last = field("Last day", { type: "date", required: true, min: "0001-01-01", max: "9999-12-30", value: addDays(end, -1) });
  const check = () => last.input.setCustomValidity(last.input.value && first.input.value > last.input.value ? "The last day is before the first." : "");
  for (const { input } of [first, last]) input.addEventListener("input", check);
  return h("form.row", { onsubmit: (event) => {
    event.preventDefault();
    choose({ start: first.input.value, end: addDays(last.input.value, 1), interval });
  } }, first.element, last.element, h("button.primary", "Show"));
}

// Makes the form. `needsKey` says whether a project's key has to be typed.
export function projectForm({ project, needsKey, folder, problem }, choose) {
  const name = field("Project", { name: "project", required: true, maxlength: "64", pattern: "[A-Za-z0-9_\\-]+", title: "Letters, digits, _ and -", value: project ?? null });
  const command = h("code", `feedback credentials create-read-key --project NAME${folder() ? ` --data ${folder()}` : ""}`);
  const key = field("Read Key", { name: "read-key", type: "password" }, ["Sent to this address alone, and never part of a link. A new project gets one from ", command, "."]);
  const keep = h("input", { type: "checkbox", id: "keep-key", checked: true });
  const secret = h("div.secret", key.element, h("p.check", keep, h("label", { for: "keep-key" }, "Keep the key for this session")));
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
