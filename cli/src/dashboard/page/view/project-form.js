// The form that asks for a project and its Read Key.

import { isKey } from "../keys.js";
import { h } from "./dom.js";
import { field } from "./fields.js";

// Makes the form. `needsKey` says whether a project's key has to be typed.
export function projectForm({ project, needsKey, problem }, choose) {
  const name = field("Project", { name: "project", required: true, maxlength: "64", pattern: "[A-Za-z0-9_\\-]+", title: "Letters, digits, _ and -", value: project ?? null });
  const key = field("Read Key", { name: "read-key", type: "password" }, "Sent to this address alone, and never part of a link.");
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
