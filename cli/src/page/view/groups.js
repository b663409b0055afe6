// The groups by a trait: a table that can be sorted, and a list that chooses the trait.

import { FEW, isFew, KINDS } from "../model/figures.js";
import * as format from "../model/format.js";
import { yesOrNo } from "../model/question.js";
import { groupScale } from "../model/scales.js";
import { groupsSentence } from "../model/sentences.js";
import { mix, scale } from "./bars.js";
import { button, card, count, foreign, h, menu, said, unseen } from "./dom.js";
import { traitPicker } from "./pickers.js";
import { drawPartProblem } from "./states.js";

const COLUMNS = {
  name: { compare: (one, other) => one.text.localeCompare(other.text, "en"), first: "ascending" },
  responses: { compare: (one, other) => one.responses - other.responses, first: "descending" },
  nps: { compare: (one, other) => (one.nps ?? -Infinity) - (other.nps ?? -Infinity), first: "descending" },
};

// The order stays while the page is open.
let sort = { by: "responses", direction: "descending" };

export function drawGroups({ question, groups }, actions) {
  const { group } = question;
  const drawn = (title, ...content) => card("groups", { title }, ...content);
  if (!group) {
    const invitation = "Compare customers by a trait, such as their plan or country.";
    return drawn("Groups", said(invitation), picker(actions, "Choose a trait"));
  }
  const title = ["By ", picker(actions, [unseen("Trait: "), foreign(group)])];
  if (groups.failure?.code === "private_trait") {
    const reason = " identifies people, so it cannot be grouped. You can filter by it.";
    return drawn(title, said(foreign(group), reason));
  }
  if (groups.failure) return drawn(title, drawPartProblem(groups.failure));
  const rows = groups.value.map((one) => ({ ...one, ...named(one) }));
  const sentence = groupsSentence(rows.map((row) => ({ ...row, name: h("strong", row.label()) })));
  const holder = h("div.scroller");
  const draw = () => holder.replaceChildren(table(question, rows, actions, draw));
  draw();
  return drawn(title, h("div.sized", holder), said(sentence), more(question, rows, actions));
}

// Names a group: by text to sort, and by what is shown.
function named({ group, other }) {
  if (other) return { text: "\uffff", label: () => h("em", "all others") };
  if (group === null) return { text: "\ufffe", label: () => h("em", "no value") };
  if (typeof group === "boolean") return { text: yesOrNo(group), label: () => yesOrNo(group) };
  return { text: group, label: () => (group === "" ? h("em", "empty") : foreign(group)) };
}

function picker(actions, label) {
  const choose = ({ name, type }) => (
    actions.change({ group: name, groupType: type === "boolean" ? type : undefined, groupLimit: undefined }));
  return menu("chip.arrow", "group", label, (closing) => traitPicker(actions, {
    types: ["string", "boolean"], fits: (trait) => !trait.private, choose: closing(choose),
  }));
}

function table(question, rows, actions, draw) {
  const { by, direction } = sort;
  const sign = direction === "ascending" ? 1 : -1;
  // A score that says little is neither among the best nor among the worst.
  const last = (group) => 2 * group.other + (by === "nps" && isFew(group));
  const sorted = rows.toSorted((one, other) => (
    last(one) - last(other) || sign * COLUMNS[by].compare(one, other)));
  const order = (column) => {
    const turned = direction === "ascending" ? "descending" : "ascending";
    sort = { by: column, direction: by === column ? turned : COLUMNS[column].first };
    draw();
    document.querySelector(`[data-sort="${column}"]`).focus();
  };
  const head = (column, ...content) => (
    h(`th.${column}`, { scope: "col", "aria-sort": by === column && direction }, ...content));
  const sortable = (column, label) => (
    head(column, button("sort", label, () => order(column), { "data-sort": column })));
  const range = groupScale(rows);
  const ends = [range.min, range.max].map((end) => h("span", format.signedWhole(end)));
  const header = h("tr",
    sortable("name", foreign(question.group)), sortable("responses", "responses"), sortable("nps", "NPS"),
    head("on-scale", unseen("on a line from "), h("div.ends", ends)), head("interval", "95% interval"),
    head("parts", "mix"));
  return h("table.groups", h("caption.unseen", "Groups by ", foreign(question.group)), h("thead", header),
    h("tbody", sorted.map((group) => row(question, group, range, actions))));
}

function row(question, group, range, { addGroup }) {
  const { responses, nps } = group;
  const few = isFew(group);
  const filter = filterOf(question, group);
  const choose = () => addGroup(filter);
  const name = filter
    ? button("group-name", [unseen("Filter by "), group.label()], choose, { "data-control": "group-row" })
    : h("span.group-name", group.label());
  const why = few && h("span.why", responses === 0 ? "no responses" : `under ${FEW}`);
  const kinds = KINDS.map((kind) => format.ofKind(group[kind], kind)).join(", ");
  return h(few ? "tr.few" : "tr",
    h("th.name", { scope: "row" }, h("div", name, why)),
    h("td.responses", count(responses)),
    h("td.nps", nps === null ? "–" : format.score(nps)),
    h("td.on-scale", scale(group, range)),
    h("td.interval", nps === null ? "–" : format.scoreInterval(group)),
    h("td.parts", unseen(kinds), mix(group)));
}

// Returns the filter that leaves a group alone. None can ask for an absent value, or for all others.
function filterOf({ group: name, groupType: type = "string" }, { group, other }) {
  if (other || group === null || name.includes("=")) return null;
  return { name, type, operator: "eq", value: String(group) };
}

function more(question, rows, { change }) {
  const limit = Number(question.groupLimit ?? 20);
  if (!rows.some(({ other }) => other) || limit >= 100) return null;
  const showAll = () => change({ groupLimit: "100" });
  return button("link", "Show up to 100 groups", showAll, { "data-control": "group-row" });
}
