// The choice of a time zone.

import { button, h } from "./dom.js";
import { field, offer } from "./fields.js";

const zones = Intl.supportedValuesOf?.("timeZone") ?? [];

export function zoneForm(timezone, choose) {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zone = field("Time zone", { required: true, maxlength: "64", value: timezone, "data-first": true }, "Days, weeks and months begin at midnight there.");
  offer(zone.input, [...new Set(["UTC", ...zones])]);
  zone.input.addEventListener("focus", () => zone.input.select());
  const shortcut = (name, label) => button("option", [h("span", label), h("span.soft", name)], () => choose(name));
  const shortcuts = h("div.options", here ? shortcut(here, "This device") : null, here === "UTC" ? null : shortcut("UTC", "UTC"));
  return h("form", { onsubmit: (event) => {
    event.preventDefault();
    choose(zone.input.value.trim());
  } }, shortcuts, h("div.row", zone.element, h("button.primary", "Show")));
}
