// What stands in the page's place when there are no figures: a problem and its way on, or nothing to show.

import * as format from "../model/format.js";
import { addDays, daysBetween } from "../model/period.js";
import { formatAddress, lackedType } from "../model/question.js";
import { questionWords } from "./bar.js";
import { button, foreign, h } from "./dom.js";

const TITLES = {
  unreachable: "No connection",
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
  too_long: "Remove some filters, or shorten their values.",
  too_many_respondents: "Count every rating, or choose a shorter period or longer intervals.",
};

function problemTitle({ code }) {
  return TITLES[code] ?? "The service refused the question";
}

// The controls that say what failed, by the parameter that the API names, or by the failure.
const CONTROLS = { timezone: "zone", startDate: "period", endDate: "period", interval: "interval", weekStart: "interval", respondents: "respondents", filter: "filter" };
const CAUSES = { period_too_large: "period", too_many_respondents: "respondents", too_long: "filter" };

// Returns the control of the bar that caused a failure; null if none did.
export function causeOf({ code, parameter }) {
  return CAUSES[code] ?? CONTROLS[parameter] ?? null;
}

// Explains a failure for the place beside the control that caused it.
export function drawBeside(failure, control, question, actions) {
  if (control === "zone") return beside(["There is no time zone ", foreign(question.timezone), "."], []);
  return beside([`${problemTitle(failure)}. `, lines(failure).join(" ")], ways(failure, question, actions));
}

const VALUES = { string: "text", number: "a number", boolean: "yes or no" };

// Says that no record has a trait.
export function drawMissing({ name, type, others }) {
  const kinds = others.map((one) => VALUES[one.type] ?? "a list or an object").join(" or ");
  return beside(["No record of this period has ", foreign(name), kinds ? ` as ${VALUES[type]}: it is ${kinds}.` : "."], []);
}

function beside(words, buttons) {
  return h("div.beside.problem", { role: "alert" }, h("span", words), buttons);
}

// Says what happened: the API's own words, unless the page has better ones, and how whoever runs the service finds the request.
function lines({ code, details, id, status }) {
  const own = code === "unexpected" ? [`It answered with status ${status}, and not as this API does.`] : [];
  const request = code === "internal" && id ? [`Request ${id}`] : [];
  return [...own, ...details, ...(code in ADVICE ? [ADVICE[code]] : []), ...request];
}

// Says it in one line, for a part of the page.
export function problemText(failure) {
  return `${problemTitle(failure)}. ${lines(failure).join(" ")}`;
}

// Says it in a card.
export function drawPartProblem(failure) {
  return h("p.problem", problemText(failure));
}

// Returns whether the same question may succeed later.
function isPassing({ code }) {
  return ["unreachable", "unexpected", "too_many_requests", "unavailable", "internal", "period_too_large", "bad_gateway"].includes(code);
}

function state(title, paragraphs, buttons, attributes = {}) {
  return h("section.state", { tabindex: "-1", ...attributes }, h("h1", title), paragraphs.map((one) => h("p", one)), h("p.ways", buttons));
}

function way(label, onclick) {
  return button("primary", label, onclick);
}

function ways(failure, question, { reload, change }) {
  const { code, parameter } = failure;
  const days = question?.start ? daysBetween(question.start, question.end) : 0;
  const isTooMuch = code === "period_too_large" || code === "too_many_respondents";
  const half = () => change({ start: addDays(question.start, Math.floor(days / 2)), before: undefined });
  return [
    isPassing(failure) && way("Try again", reload),
    question?.respondents && (code === "too_many_respondents" || parameter === "respondents") && way("Count every rating", () => change({ respondents: undefined })),
    isTooMuch && days > 1 && way("Show the later half", half),
    code.endsWith("_parameter") && question?.filters.length > 0 && way("Remove the filters", () => change({ filters: [] })),
  ];
}

// Draws a failure, with a way on.
export function drawProblem(failure, question, actions) {
  return state(problemTitle(failure), lines(failure), ways(failure, question, actions));
}

// Draws what stands above the last figures where newer ones could not be loaded.
export function drawStale(failure, question, { time, question: shown }, actions) {
  const [at, now] = [time, new Date()].map((instant) => format.dateIn(instant, shown.timezone));
  const date = at === now ? {} : { day: "numeric", month: "short" };
  const which = formatAddress(shown) === formatAddress(question) ? [] : [": ", ...questionWords(shown)];
  return h("p.stale-note.problem", { role: "alert" }, h("span", `${problemTitle(failure)}. `, lines(failure).join(" ")),
    h("span", `Figures of ${format.time(time, shown.timezone, date)}`, which, "."), ways(failure, question, actions));
}

// Draws what stands under the bar where an error in it leaves nothing to show.
export function drawNothing() {
  return state("There is nothing to show yet", ["The message above says what to change."], []);
}

// Draws an address that says something that means nothing.
export function drawMistakes(problems, goOn) {
  const meant = (problem) => (lackedType(problem) ? [" – did you mean ", h("code", lackedType(problem)), "?"] : []);
  const quoted = problems.map((problem) => [h("code", { dir: "auto" }, problem.slice(0, 200)), meant(problem)]);
  return state("Part of this link is not understood", ["Ignoring it would show other figures than it means:", ...quoted], [way("Open it without that", goOn)]);
}

// Draws a period in which no survey was shown. `data` is the folder that is being served, if it is on this machine;
// `findData` finds the way to a period that has some.
export function drawEmpty(question, { data }, { change, findData }) {
  const note = h("span", { role: "status" }, "Looking for the data …");
  const next = h("div", { hidden: true }, h("p", "Import its records, then refresh:"), h("code", `feedback import responses FILE --project ${question.project}${data ? ` --data ${data}` : ""}`));
  const filtered = question.filters.length > 0;
  const drawn = state(filtered ? "Nothing matches these filters." : `No surveys shown ${format.dates(question)}.`, [note], filtered ? way("Remove the filters", () => change({ filters: [] })) : [], { id: "empty" });
  drawn.querySelector(".ways").before(next);
  findData().then(({ extent, words, isNew }) => {
    const years = extent && [...new Set([extent.start.slice(0, 4), extent.latest.year])];
    const matching = filtered ? "What matches" : "The data";
    note.textContent = extent ? `${matching} is from ${years.join(" to ")}.` : words;
    next.hidden = !isNew;
    if (!extent) return;
    const { latest } = extent;
    const period = (to) => ({ start: to.start, end: to.end, before: undefined, interval: undefined });
    drawn.querySelector(".ways").prepend(
      way(`Show ${latest.year} (${format.shown(latest.displays)})`, () => change(period(latest))),
      years.length > 1 ? way("Show all", () => change(period(extent))) : "");
  });
  return drawn;
}
