// The groups by a trait: a table that can be sorted, and a form that chooses the trait.

import { yesOrNo } from "../model/filters.js";
import * as format from "../model/format.js";
import { FEW, groupsSentence } from "../model/sentences.js";
import { card, foreign, h, legend, unseen } from "./dom.js";
import { traitFields } from "./fields.js";
import { menu } from "./menu.js";
import { mix, scale } from "./scale.js";
import { problemText } from "./problems.js";

const COLUMNS = {
  name: { compare: (one, other) => one.text.localeCompare(other.text), first: "ascending" },
  responses: { compare: (one, other) => one.responses - other.responses, first: "descending" },
  nps: { compare: (one, other) => (one.nps ?? -Infinity) - (other.nps ?? -Infinity), first: "descending" },
};

// The order stays while the page is open.
let sort = { by: "responses", direction: "descending" };

export function drawGroups({ question, groups }, actions) {
  const title = question.group ? ["By ", picker(question, actions, foreign(question.group))] : "Groups";
  if (!question.group) {
    return card("groups", { title, sentence: "Choose a trait to compare the customers by, such as their plan or country." }, picker(question, actions, "Choose a trait"));
  }
  if (groups.failure) return card("groups", { title }, h("p", { class: "problem" }, problemText(groups.failure)));
  const rows = groups.value.map((group) => ({ ...group, ...named(group) }));
  const sentence = groupsSentence(rows.map((row) => ({ ...row, name: h("strong", {}, row.label()) })));
  const holder = h("div", { class: "scroller" });
  const draw = () => holder.replaceChildren(table(question, rows, actions, draw));
  draw();
  const few = rows.some(({ responses }) => responses < FEW) ? h("p", { class: "hint" }, `Grey: fewer than ${FEW} responses, too few to tell.`) : null;
  return card("groups", { title, aside: legend(), sentence }, holder, few, more(question, rows, actions));
}

// Names a group: by text to sort, and by what is shown.
function named({ group, other }) {
  if (other) return { text: "\uffff", label: () => h("em", {}, "all others") };
  if (group === null) return { text: "\ufffe", label: () => h("em", {}, "no value") };
  if (typeof group === "boolean") return { text: yesOrNo(group), label: () => yesOrNo(group) };
  return { text: group, label: () => (group === "" ? h("em", {}, "empty") : foreign(group)) };
}

function picker(question, actions, label) {
  return menu(label, { class: "chip arrow", "data-control": "group", "aria-label": question.group ? `Trait: ${question.group.slice(0, 100)}` : null }, (close) => {
    const choose = (name, type) => {
      close();
      actions.change({ group: name, groupType: type === "boolean" ? type : undefined, groupLimit: undefined });
    };
    const known = actions.traits().filter(({ type }) => type !== "number");
    const option = ({ name, type }) => h("button", { type: "button", class: "option", onclick: () => choose(name, type) }, foreign(name));
    const trait = traitFields(known, ["string", "boolean"], () => {});
    return [h("div", { class: "options" }, known.map(option)), h("form", { class: "row", onsubmit: (event) => {
      event.preventDefault();
      choose(trait.name.value, trait.type.value);
    } }, trait.elements, h("button", { class: "primary" }, "Show"))];
  }).element;
}

function table(question, rows, actions, draw) {
  const { compare } = COLUMNS[sort.by];
  const sign = sort.direction === "ascending" ? 1 : -1;
  const sorted = rows.toSorted((one, other) => one.other - other.other || sign * compare(one, other));
  const head = (by, label) => h("th", { scope: "col", class: by, "aria-sort": sort.by === by ? sort.direction : null }, h("button", { type: "button", "data-sort": by, onclick: () => {
    const turned = sort.direction === "ascending" ? "descending" : "ascending";
    sort = { by, direction: sort.by === by ? turned : COLUMNS[by].first };
    draw();
    document.querySelector(`[data-sort="${by}"]`).focus();
  } }, label));
  const ends = h("div", { class: "ends" }, h("span", {}, "−100"), h("span", {}, "0"), h("span", {}, "+100"));
  const header = h("tr", {}, head("name", foreign(question.group)), head("responses", "responses"), head("nps", "NPS"),
    h("th", { scope: "col", class: "on-scale" }, unseen("on a line from "), ends), h("th", { scope: "col", class: "interval" }, "95\u00a0%"), h("th", { scope: "col", class: "parts" }, "mix"));
  return h("table", { class: "groups" }, h("caption", { class: "unseen" }, "Groups by ", foreign(question.group)), h("thead", {}, header), h("tbody", {}, sorted.map((group) => row(question, group, actions))));
}

function row(question, group, actions) {
  const { responses, nps, npsLow, npsHigh, promoters, passives, detractors } = group;
  const few = responses < FEW;
  const filter = filterOf(question, group);
  const name = filter
    ? h("button", { type: "button", class: "group-name", "data-control": "group-row", onclick: () => actions.addFilter(filter) }, unseen("Filter by "), group.label())
    : h("span", { class: "group-name" }, group.label());
  return h("tr", { class: few ? "few" : null },
    h("th", { scope: "row", class: "name" }, h("div", {}, name, few ? h("span", { class: "why" }, responses === 0 ? "no responses" : `under ${FEW}`) : null)),
    h("td", { class: "responses" }, format.count(responses)),
    h("td", { class: "nps" }, nps === null ? "–" : format.score(nps)),
    h("td", { class: "on-scale" }, scale(group)),
    h("td", { class: "interval" }, nps === null ? "–" : `${format.whole(npsLow)} to ${format.whole(npsHigh)}`),
    h("td", { class: "parts" }, unseen(`${format.count(detractors)} detractors, ${format.count(passives)} passives, ${format.count(promoters)} promoters`), mix(group)));
}

// Returns the filter that leaves a group alone. None can ask for an absent value, or for all others.
function filterOf({ group: name, groupType: type = "string" }, { group, other }) {
  return other || group === null || name.includes("=") ? null : { name, type, operator: "eq", value: String(group) };
}

function more(question, rows, { change }) {
  const limit = Number(question.groupLimit ?? 20);
  if (!rows.some(({ other }) => other) || limit >= 100) return null;
  return h("button", { type: "button", class: "link", "data-control": "group-row", onclick: () => change({ groupLimit: "100" }) }, "Show up to 100 groups");
}
