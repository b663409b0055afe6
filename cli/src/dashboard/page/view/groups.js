// The groups by a trait: a table that can be sorted, and a form that chooses the trait.

import { FEW, KINDS } from "../model/figures.js";
import * as format from "../model/format.js";
import { yesOrNo } from "../model/question.js";
import { groupsSentence, outsideSentence } from "../model/sentences.js";
import { mix, scale } from "./bars.js";
import { button, card, count, foreign, h, legend, menu, unseen } from "./dom.js";
import { traitFields } from "./forms.js";
import { drawPartProblem } from "./states.js";

const COLUMNS = {
  name: { compare: (one, other) => one.text.localeCompare(other.text, "en"), first: "ascending" },
  responses: { compare: (one, other) => one.responses - other.responses, first: "descending" },
  nps: { compare: (one, other) => (one.nps ?? -Infinity) - (other.nps ?? -Infinity), first: "descending" },
};

const isFew = ({ responses }) => responses < FEW;

// The order stays while the page is open.
let sort = { by: "responses", direction: "descending" };

export function drawGroups({ question, groups }, actions) {
  const title = question.group ? ["By ", picker(question, actions, [unseen("Trait: "), foreign(question.group)])] : "Groups";
  if (!question.group) {
    return card("groups", { title, sentence: "Choose a trait to compare the customers by, such as their plan or country." }, picker(question, actions, "Choose a trait"));
  }
  if (groups.failure?.code === "private_trait") {
    const sentence = "The values of this trait name people, and a Read Key is made for figures, so there are no groups by it. Filters on it still work.";
    return card("groups", { title: ["By ", foreign(question.group)], sentence }, picker(question, actions, "Choose another trait"));
  }
  if (groups.failure) return card("groups", { title }, drawPartProblem(groups.failure, question, actions));
  const rows = groups.value.map((group) => ({ ...group, ...named(group) }));
  const sentence = groupsSentence(rows.map((row) => ({ ...row, name: h("strong", row.label()) })));
  const holder = h("div.scroller");
  const draw = () => holder.replaceChildren(table(question, rows, actions, draw));
  draw();
  const few = rows.some(isFew) ? h("p.hint", [`Grey: fewer than ${FEW} responses, too few to tell.`, outsideSentence(rows)].filter(Boolean).join(" ")) : null;
  return card("groups", { title, sentence }, h("div.sized", holder, legend()), few, more(question, rows, actions));
}

// Names a group: by text to sort, and by what is shown.
function named({ group, other }) {
  if (other) return { text: "\uffff", label: () => h("em", "all others") };
  if (group === null) return { text: "\ufffe", label: () => h("em", "no value") };
  if (typeof group === "boolean") return { text: yesOrNo(group), label: () => yesOrNo(group) };
  return { text: group, label: () => (group === "" ? h("em", "empty") : foreign(group)) };
}

function picker(question, actions, label) {
  return menu("chip.arrow", "group", label, (close) => {
    const choose = ({ name, type }) => {
      close();
      actions.change({ group: name, groupType: type === "boolean" ? type : undefined, groupLimit: undefined });
    };
    const trait = traitFields(actions, { types: ["string", "boolean"], fits: (one) => !one.private, choose });
    return [h("form.row", { onsubmit: (event) => {
      event.preventDefault();
      choose({ name: trait.name.value, type: trait.type.value });
    } }, trait.elements, h("button.primary", "Show")), ...trait.list];
  });
}

function table(question, rows, actions, draw) {
  const { compare } = COLUMNS[sort.by];
  const sign = sort.direction === "ascending" ? 1 : -1;
  // A score that says little is neither among the best nor among the worst.
  const last = (group) => (sort.by === "nps" && isFew(group) ? 1 : 0);
  const sorted = rows.toSorted((one, other) => one.other - other.other || last(one) - last(other) || sign * compare(one, other));
  const order = (by) => {
    const turned = sort.direction === "ascending" ? "descending" : "ascending";
    sort = { by, direction: sort.by === by ? turned : COLUMNS[by].first };
    draw();
    document.querySelector(`[data-sort="${by}"]`).focus();
  };
  const head = (by, label) => h(`th.${by}`, { scope: "col", "aria-sort": sort.by === by ? sort.direction : null }, button("sort", label, () => order(by), { "data-sort": by }));
  const ends = h("div.ends", h("span", "−100"), h("span", "0"), h("span", "+100"));
  const header = h("tr", head("name", foreign(question.group)), head("responses", "responses"), head("nps", "NPS"),
    h("th.on-scale", { scope: "col" }, unseen("on a line from "), ends), h("th.interval", { scope: "col" }, "95%"), h("th.parts", { scope: "col" }, "mix"));
  return h("table.groups", h("caption.unseen", "Groups by ", foreign(question.group)), h("thead", header), h("tbody", sorted.map((group) => row(question, group, actions))));
}

function row(question, group, actions) {
  const { responses, nps, npsLow, npsHigh } = group;
  const few = isFew(group);
  const filter = filterOf(question, group);
  const name = filter
    ? button("group-name", [unseen("Filter by "), group.label()], () => actions.addGroup(filter), { "data-control": "group-row" })
    : h("span.group-name", group.label());
  return h(few ? "tr.few" : "tr",
    h("th.name", { scope: "row" }, h("div", name, few ? h("span.why", responses === 0 ? "no responses" : `under ${FEW}`) : null)),
    h("td.responses", count(responses)),
    h("td.nps", nps === null ? "–" : format.score(nps)),
    h("td.on-scale", scale(group)),
    h("td.interval", nps === null ? "–" : `${format.whole(npsLow)} to\u00a0${format.whole(npsHigh)}`),
    h("td.parts", unseen(KINDS.map((kind) => format.ofKind(group[kind], kind)).join(", ")), mix(group)));
}

// Returns the filter that leaves a group alone. None can ask for an absent value, or for all others.
function filterOf({ group: name, groupType: type = "string" }, { group, other }) {
  return other || group === null || name.includes("=") ? null : { name, type, operator: "eq", value: String(group) };
}

function more(question, rows, { change }) {
  const limit = Number(question.groupLimit ?? 20);
  if (!rows.some(({ other }) => other) || limit >= 100) return null;
  return button("link", "Show up to 100 groups", () => change({ groupLimit: "100" }), { "data-control": "group-row" });
}
