// The forms: the panel of the period, and the one that opens a project.

import * as format from "../model/format.js";
import { addDays, presets } from "../model/period.js";
import { button, command, form, h } from "./dom.js";

let count = 0;

// Makes an input with its label. `hint` stands under it.
function field(label, attributes, hint) {
  count += 1;
  const id = `field-${count}`;
  const about = hint ? h("p.hint", { id: `${id}-hint` }, hint) : null;
  const common = { id, spellcheck: "false", autocomplete: "off", "aria-describedby": about?.id };
  const input = h("input", { ...common, ...attributes });
  return { element: h("div.field", h("label", { for: id }, label), input, about), input };
}

// Makes the panel of the period. It shows the last day; the API has the end, which is exclusive.
export function periodPanel(question, { change, today, findAll }, closing) {
  const choose = closing((period) => change({ interval: undefined, ...period }));
  const option = (label, note, onclick, attributes) => (
    button("option", [h("span", label), h("span.soft", note)], onclick, attributes));
  const preset = ({ label, ...chosen }) => {
    const isCurrent = ["period", "start", "end"].every((name) => chosen[name] === question[name]);
    const attributes = { "aria-pressed": String(isCurrent) };
    return option(label, format.dates(chosen), () => choose(chosen), attributes);
  };
  const status = h("p.hint", { role: "status" });
  const all = option("All", "all the data", async () => {
    status.textContent = "Looking how far the data goes …";
    const { extent, words } = await findAll();
    if (extent) choose({ start: extent.start, end: extent.end });
    else status.textContent = words;
  });
  return [h("div.options.presets", presets(today(question.timezone)).map(preset), all), status, ownDates(question, choose)];
}

function ownDates({ start, end, interval }, choose) {
  const date = { type: "date", required: true, min: "1000-01-01", max: "9999-12-30" };
  const first = field("First day", { ...date, value: start });
  const last = field("Last day", { ...date, min: start, value: addDays(end, -1) });
  first.input.addEventListener("input", () => last.input.setAttribute("min", first.input.value));
  const submit = () => choose({ start: first.input.value, end: addDays(last.input.value, 1), interval });
  return form("row", submit, first.element, last.element, h("button.primary", "Show"));
}

// Makes the form that opens a project. `needsKey` says whether a project's key has to be typed.
export function projectForm({ project, needsKey, folder, problem }, choose) {
  const name = field("Project", {
    name: "project", required: true, maxlength: "64", value: project,
    pattern: "[A-Za-z0-9_\\-]+", title: "Letters, digits, _ and -",
  });
  const data = folder() ? ` --data ${folder()}` : "";
  const creation = h("span");
  const printable = { pattern: "\\s*[!-~]+\\s*", title: "A key is ASCII without spaces." };
  const key = field("Read Key", { name: "read-key", type: "password", ...printable }, [
    "A Read Key reads the figures of one project. It is sent to this address alone, is never part of a link, and "
      + "is kept until you close this tab. Where the data is, ", creation, " makes one.",
  ]);
  const update = () => {
    key.element.hidden = !needsKey(name.input.value);
    const shown = name.input.checkValidity() ? name.input.value : "NAME";
    creation.replaceChildren(command(`feedback credentials create --project ${shown} --may statistics${data}`));
    key.input.required = !key.element.hidden;
  };
  name.input.addEventListener("input", update);
  update();
  (project ? key : name).input.setAttribute("data-first", "");
  const submit = () => (
    choose({ project: name.input.value, key: key.element.hidden ? undefined : key.input.value.trim() }));
  return form("project-form", submit, problem && h("p.problem", { role: "alert" }, problem),
    name.element, key.element, h("button.primary", "Open"));
}
