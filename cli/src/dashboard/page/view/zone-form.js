// The choice of a time zone.

import { h } from "./dom.js";
import { field, offer } from "./fields.js";

const zones = Intl.supportedValuesOf?.("timeZone") ?? [];

export function zoneForm(timezone, choose) {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zone = field("Time zone", { required: true, maxlength: "64", value: timezone, "data-first": true }, "Days, weeks and months begin at midnight there.");
  offer(zone.input, [...new Set(["UTC", ...zones])]);
  zone.input.addEventListener("focus", () => zone.input.select());
  const shortcut = (name, label) => h("button", { type: "button", class: "option", onclick: () => choose(name) }, h("span", {}, label), h("span", { class: "soft" }, name));
  const shortcuts = h("div", { class: "options" }, here ? shortcut(here, "This device") : null, here === "UTC" ? null : shortcut("UTC", "UTC"));
  return h("form", { onsubmit: (event) => {
    event.preventDefault();
    choose(zone.input.value.trim());
  } }, shortcuts, h("div", { class: "row" }, zone.element, h("button", { class: "primary" }, "Show")));
}
