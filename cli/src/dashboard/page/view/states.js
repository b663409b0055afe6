// What stands in the page's place when there are no figures: a problem and its way on, or nothing to show.

import * as format from "../model/format.js";
import { addDays, daysBetween } from "../model/period.js";
import { lackedType, quotedFilter } from "../model/question.js";
import { similar } from "../model/similar.js";
import { button, foreign, h } from "./dom.js";
import { zones } from "./forms.js";

const TITLES = {
  unreachable: "The server does not answer",
  unexpected: "The server gave an unexpected answer",
  unauthenticated: "The key is not accepted",
  forbidden: "The key is not for this project",
  missing_parameter: "The API does not accept this question",
  invalid_parameter: "The API does not accept this question",
  unknown_parameter: "The API does not know a part of this question",
  duplicate_parameter: "The API does not accept this question",
  too_long: "The question is too long",
  too_many_requests: "Too many requests at once",
  too_many_groups: "Too many groups",
  too_many_respondents: "Too many people to count each once",
  response_too_large: "The answer would be too large",
  unavailable: "The service is busy",
  period_too_large: "The period is too large",
  internal: "The service failed",
  bad_gateway: "The API cannot be reached",
  not_found: "There is no such API at this address",
  method_not_allowed: "There is no such API at this address",
};

const HELD = "The key is that of FEEDBACK_READ_KEY, where feedback dashboard was started: start it again with another.";

const ADVICE = {
  unauthenticated: HELD,
  forbidden: HELD,
  unreachable: "Is it running, and are you connected?",
  too_long: "Remove some filters, or shorten their values.",
  too_many_requests: "Try again in a moment.",
  unavailable: "Try again in a moment.",
  too_many_respondents: "Count every rating, or choose a shorter period or longer intervals.",
  period_too_large: "A shorter period, or the same one later, may succeed.",
};

function problemTitle({ code }) {
  return TITLES[code] ?? "The service refused the question";
}

// The controls that say what failed, by the parameter that the API names, or by the failure.
const CONTROLS = { timezone: "zone", startDate: "period", endDate: "period", interval: "interval", weekStart: "interval", respondents: "respondents", filter: "filter" };
const CAUSES = { period_too_large: "period", too_many_respondents: "respondents", too_long: "filter" };

// Returns the control of the bar that caused a failure, and the filter, if that is one; null if none did.
export function causeOf({ code, parameter, details }, { filters }) {
  const control = CAUSES[code] ?? CONTROLS[parameter] ?? null;
  const at = parameter === "filter" ? quotedFilter(details[0], filters) : -1;
  return at < 0 ? control && { control } : { control: `filter-${at}`, filter: filters[at] };
}

// Explains a failure for the place beside the control that caused it.
export function drawBeside(failure, { control, filter }, question, actions) {
  const { title, lines, ways } = explained(failure, question, actions);
  if (filter) {
    const said = failure.details[0].replace(/^filter /, "").replace(/(?<= got ").*(?="$)/s, () => filter.value.slice(0, 100));
    return beside([foreign(filter.name), ` ${said}`], ways);
  }
  if (control === "zone") {
    const names = similar(question.timezone, zones);
    return beside(["There is no time zone ", foreign(question.timezone), names.length > 0 ? "; similar:" : "."], names.map((name) => way(name, () => actions.change({ timezone: name }))));
  }
  return beside([`${title}. `, lines.join(" ")], ways);
}

const VALUES = { string: "text", number: "a number", boolean: "yes or no" };

// Says that no record has a trait; `change` puts another one in its place.
export function drawMissing({ name, type, others, names }, change) {
  const has = others.length > 0 ? [` as ${VALUES[type]}: it is ${others.map((one) => VALUES[one.type] ?? "a list or an object").join(" or ")}.`] : names.length > 0 ? ["; similar:"] : ["."];
  return beside(["No record of this period has ", foreign(name), ...has], others.length > 0 ? [] : names.map((one) => way(one, () => change(one))));
}

function beside(words, ways) {
  return h("div.beside.problem", { role: "alert" }, h("span", words), ways);
}

// Says what happened: the API's own words, unless the page has better ones, and how whoever runs the service finds the request.
function problemLines({ code, details, id, status }) {
  const own = code === "unexpected" ? [`It answered with status ${status}, and not as this API does.`] : [];
  const request = code === "internal" && id ? [`Request ${id}`] : [];
  return [...own, ...details, ...(code in ADVICE ? [ADVICE[code]] : []), ...request];
}

// Says it in one line, for a part of the page.
export function problemText(failure) {
  return `${problemTitle(failure)}. ${problemLines(failure).join(" ")}`;
}

// Says it in a card, with a way to less.
export function drawPartProblem(failure, question, { change }) {
  const later = laterHalf(failure, question);
  return [h("p.problem", problemText(failure)), later && h("p.ways", button("chip", LATER_HALF, () => change(later)))];
}

const LATER_HALF = "Show the later half";

// Returns the later half of a period that is too large; null if it is not, or a day.
function laterHalf({ code }, question) {
  const days = question?.start ? daysBetween(question.start, question.end) : 0;
  if (!["period_too_large", "too_many_respondents"].includes(code) || days <= 1) return null;
  return { start: addDays(question.start, Math.floor(days / 2)), before: undefined };
}

// Returns whether the same question may succeed later.
function isPassing({ code }) {
  return ["unreachable", "unexpected", "too_many_requests", "unavailable", "internal", "period_too_large", "bad_gateway"].includes(code);
}

function state(title, lines, actions) {
  const line = (text) => h("p", text);
  return h("section.state", { tabindex: "-1" }, h("h1", title), lines.map(line), h("p.ways", actions));
}

function way(label, onclick) {
  return button("primary", label, onclick);
}

// Draws a failure, with a way on.
export function drawProblem(failure, question, actions) {
  const { title, lines, ways } = explained(failure, question, actions);
  return state(title, lines, ways);
}

// Draws what stands under the bar where an error in it leaves nothing to show.
export function drawNothing() {
  return state("There is nothing to show yet", ["The message above says what to change."], []);
}

function explained(failure, question, { reload, change }) {
  const ways = isPassing(failure) ? [way("Try again", reload)] : [];
  const { code } = failure;
  if (question?.respondents && (code === "too_many_respondents" || (code.endsWith("_parameter") && failure.details.some((detail) => detail.includes("respondents"))))) ways.push(way("Count every rating", () => change({ respondents: undefined })));
  const later = laterHalf(failure, question);
  if (later) ways.push(way(LATER_HALF, () => change(later)));
  if (code.endsWith("_parameter") && question?.filters.length > 0) ways.push(way("Remove the filters", () => change({ filters: [] })));
  return { title: problemTitle(failure), lines: problemLines(failure), ways };
}

// Draws an address that says something that means nothing.
export function drawMistakes(problems, goOn) {
  const meant = (problem) => (lackedType(problem) ? [" – did you mean ", h("code", lackedType(problem)), "?"] : []);
  const quoted = problems.map((problem) => [h("code", { dir: "auto" }, problem.slice(0, 200)), meant(problem)]);
  return state("Part of this link is not understood", ["Ignoring it would show other figures than it means:", ...quoted], [way("Open it without that", goOn)]);
}

// Draws a period without displays. `data` is the folder that is being served, if it is on this machine; `findData` finds the way to one that has some.
export function drawEmpty(question, { data }, { change, findData }) {
  const note = h("span", { role: "status" }, "Looking for a period that has some …");
  const next = h("div", { hidden: true }, h("p", "Import its records, then refresh:"), h("code", `feedback import responses FILE --project ${question.project}${data ? ` --data ${data}` : ""}`));
  const filtered = question.filters.length > 0;
  const ways = h("p.ways");
  const remove = filtered ? way("Remove the filters", () => change({ filters: [] })) : null;
  if (remove) ways.append(remove);
  findData().then(({ extent, words, isNew }) => {
    note.textContent = extent ? `The data goes from ${extent.start.slice(0, 4)} to ${extent.latest.year}.` : words;
    next.hidden = !isNew;
    if (!extent) return;
    const { latest } = extent;
    const period = (to) => ({ start: to.start, end: to.end, before: undefined, interval: undefined });
    ways.prepend(
      way(`Show ${latest.year} (${format.counted(latest.displays, "display")})`, () => change(period(latest))),
      way("Show all", () => change(period(extent))));
  });
  const where = filtered ? "with these filters" : "of this project";
  return h("section.state", { id: "empty" }, h("h1", "No displays in this period"),
    h("p", `There is no display ${where} within ${format.dates(question)}. A display is one time that the survey was shown to somebody, answered or not.`), h("p", note), next, ways);
}
