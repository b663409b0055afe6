// The groups by a trait: a table that can be sorted, and a list that chooses the trait.

import { FEW, isClear, isFew, KINDS } from "../model/figures.js";
import * as format from "../model/format.js";
import { chosenGroup, filterOf, predicate, yesOrNo } from "../model/question.js";
import { groupScale } from "../model/scales.js";
import { changeMark, contributionBar, mix, scale } from "./bars.js";
import { button, card, count, foreign, groupName, h, menu, unseen } from "./dom.js";
import { traitPicker } from "./pickers.js";
import { drawPartProblem } from "./states.js";

const COLUMNS = {
  name: { compare: (one, other) => one.text.localeCompare(other.text, "en"), first: "ascending" },
  responses: { compare: (one, other) => one.responses - other.responses, first: "descending" },
  nps: { compare: (one, other) => (one.nps ?? -Infinity) - (other.nps ?? -Infinity), first: "descending" },
  since: { compare: (one, other) => pointsOf(one) - pointsOf(other), first: "descending" },
  by: { compare: (one, other) => one.change.contribution - other.change.contribution, first: "descending" },
};
// Where the records begin in the earlier period, its figures say nothing of a change.
const hasChange = ({ change }) => change?.points != null && change.verdict !== "partial";
const pointsOf = ({ change }) => change?.points ?? -Infinity;

// The order of the rows stays while the page is open.
const FIRST = { by: "responses", direction: "descending" };
let sort = FIRST;

export function drawGroups({ question, figures, groups }, actions) {
  const { group } = question;
  const drawn = (title, ...content) => card("groups", { title }, ...content);
  if (!group) {
    const invitation = "Compare customers by a trait, such as their plan or country.";
    return drawn("Groups", h("p.sentence", invitation), traits(actions));
  }
  const title = ["By ", picker(actions, foreign(group))];
  if (groups.failure) return drawn(title, drawPartProblem(groups.failure, actions.retry));
  const chosen = chosenGroup(question);
  const rows = groups.value.map((one) => {
    const filter = filterOf(question, one);
    const isChosen = filter !== null && filter.value === chosen?.value;
    return { ...one, text: textOf(one), filter, isChosen };
  });
  const holder = h("div.scroller");
  // Parts of a change that is not clear, or of other records, would mean nothing.
  const hasParts = !chosen && isClear(figures) && rows.every(({ change }) => change.contribution !== null);
  const overall = !chosen && figures?.responses > 0 ? figures.nps : undefined;
  const draw = () => holder.replaceChildren(table(question, rows, { hasParts, overall, actions, draw }));
  draw();
  const others = chosen && ["These rows are of all groups; the other figures are of those whose ",
    foreign(group), " ", foreign(predicate(chosen)), "."];
  const judged = rows.filter(({ change }) => ["clear", "chance"].includes(change?.verdict));
  const together = `Of changes that are clear among these ${judged.length} groups, one in 20 may be chance.`;
  return drawn(title, others && h("p.hint.whole", others), h("div.sized", holder,
    overall !== undefined && h("p.hint.of-scale", `The line across is the score of all, ${format.score(overall)}.`)),
    rows.some(isFew) && h("p.hint", `Gray: fewer than ${FEW} responses, too few to tell.`),
    judged.length > 1 && judged.some(isClear) && h("p.hint", together), more(question, rows, actions));
}

// Returns the text by which a group is sorted.
function textOf({ group, other }) {
  const text = typeof group === "boolean" ? yesOrNo(group) : group;
  return other ? "\uffff" : text ?? "\ufffe";
}

const TYPES = ["string", "boolean"];
const canGroup = (trait) => !trait.private;
const groupBy = ({ change }) => ({ name, type }) => (
  change({ group: name, groupType: type === "boolean" ? type : undefined, groupLimit: undefined }));

// Offers the traits that most records have, each at a click.
function traits(actions) {
  const chips = h("div.filters", picker(actions, "Choose a trait"));
  const chip = (trait) => button("chip", foreign(trait.name), () => groupBy(actions)(trait));
  actions.findTraits().then((found) => {
    const offered = found.filter((trait) => TYPES.includes(trait.type) && canGroup(trait)).slice(0, 5);
    chips.prepend(...offered.map(chip));
  });
  return chips;
}

function picker(actions, label) {
  return menu("chip.arrow", "group", label, (closing) => traitPicker(actions, {
    types: TYPES, fits: canGroup, choose: closing(groupBy(actions)),
  }), { "aria-description": "Chooses another trait" });
}

// Makes the table of the rows.
function table(question, rows, { hasParts, overall, actions, draw }) {
  const largest = hasParts && Math.max(...rows.map(({ change }) => Math.abs(change.contribution)));
  // What the groups were ordered by may not be a column here.
  const { by, direction } = sort.by !== "by" || largest ? sort : FIRST;
  const sign = direction === "ascending" ? 1 : -1;
  // A score that says little is neither among the best nor among the worst.
  const last = (group) => 2 * group.other + ((by === "nps" || by === "since") && isFew(group));
  const sorted = rows.toSorted((one, other) => (
    last(one) - last(other) || sign * COLUMNS[by].compare(one, other)));
  const order = (column) => {
    const turned = direction === "ascending" ? "descending" : "ascending";
    sort = { by: column, direction: by === column ? turned : COLUMNS[column].first };
    draw();
    document.querySelector(`[data-control="sort-${column}"]`).focus();
  };
  // On paper, a header that is repeated on each page lacks its buttons, so the label stands there itself.
  const sortable = (column, label) => (
    h(`th.${column}`, { scope: "col", "aria-sort": by === column && direction }, h("span.printed", label),
      button("sort", label, () => order(column), { "data-control": `sort-${column}` })));
  const range = groupScale(rows);
  const ends = range && [range.min, range.max].map((end) => h("span", format.whole(end)));
  const columns = { range, overall, largest, hasChanges: rows.some(hasChange) };
  // The interval says what the drawing shows, which is not read out.
  const header = h("tr",
    sortable("name", "Group"), sortable("responses", "Responses"), sortable("nps", "NPS"),
    range && h("th.on-scale", { "aria-hidden": "true" }, h("div.ends", ends)),
    h("th.interval", { scope: "col" }, "95% interval"),
    columns.hasChanges && sortable("since", "Change"), largest && sortable("by", "By score, by share"),
    h("th.parts", { scope: "col" }, "Mix"));
  return h("table.groups", h("caption.unseen", "Groups by ", foreign(question.group)), h("thead", header),
    h("tbody", sorted.map((group) => row(group, columns, actions))));
}

function row(group, { range, overall, largest, hasChanges }, { chooseGroup }) {
  const { responses, nps, change, filter, isChosen } = group;
  const choose = () => chooseGroup(filter);
  const attributes = { "data-control": "group-row", "aria-pressed": String(isChosen) };
  const name = filter
    ? button("group-name", [unseen("Filter by "), groupName(group)], choose, attributes)
    : h("span.group-name", groupName(group));
  const why = responses === 0 && h("span.why", "no responses");
  const changed = () => hasChange(group) && [changeMark(change), isClear(group) && h("span.verdict", "clear")];
  const kinds = KINDS.map((kind) => format.ofKind(group[kind], kind)).join(", ");
  const classes = [isFew(group) && ".few", isChosen && ".chosen"].filter(Boolean).join("");
  return h(`tr${classes}`,
    h("th.name", { scope: "row" }, h("div", name, why), h("div.since", changed())),
    h("td.responses", count(responses)),
    h("td.nps", nps === null ? "–" : format.score(nps)),
    range && h("td.on-scale", { "aria-hidden": "true" }, scale(group, range, overall)),
    h("td.interval", nps === null ? "–" : format.scoreInterval(group)),
    hasChanges && h("td.since", changed()),
    largest && h("td.by", contributionBar(change, largest)),
    h("td.parts", unseen(kinds), mix(group)));
}

function more(question, rows, { change }) {
  const limit = Number(question.groupLimit ?? 20);
  if (!rows.some(({ other }) => other) || limit >= 100) return null;
  return button("link", "Show up to 100 groups", () => change({ groupLimit: "100" }), { "data-control": "group-row" });
}
