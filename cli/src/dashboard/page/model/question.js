// The question that the page asks: project, period, interval, zone, groups and filters, all of it text.

import { filterParameters } from "./filters.js";
import { defaultInterval, lastTwelveMonths, offeredIntervals } from "./period.js";

// Completes what an address says with what the server suggests and with defaults.
export function complete(said, settings, { today, zone }) {
  const project = said.project ?? settings.project;
  const suggested = project === settings.project ? settings : {};
  const question = {
    ...said,
    project,
    timezone: said.timezone ?? zone,
    group: said.group ?? suggested.group,
    groupType: said.group && said.groupType === "boolean" ? "boolean" : undefined,
    ...(said.start ? {} : suggested.start ? { start: suggested.start, end: suggested.end } : lastTwelveMonths(today)),
  };
  const fits = offeredIntervals(question).includes(question.interval);
  question.interval = fits ? question.interval : defaultInterval(question);
  if (question.interval !== "week" || question.weekStart === "monday") delete question.weekStart;
  return question;
}

function common({ project, timezone, filters }, { start, end }) {
  const period = [["startDate", start], ["endDate", end], ["timezone", timezone]];
  return [["project", project], ...period, ["confidence", "95"], ...filters.flatMap(filterParameters)];
}

// Returns the API's parameters for the figures of a whole period.
export function totals(question, period) {
  return common(question, period);
}

export function series(question) {
  const weekStart = question.weekStart ? [["weekStart", question.weekStart]] : [];
  return [...common(question, question), ["interval", question.interval], ...weekStart];
}

export function groups(question, { name, type = "string", limit }) {
  const groupBy = [["groupBy", `user.traits.${type}.${name}`]];
  return [...common(question, question), ...groupBy, ...(limit ? [["groupLimit", limit]] : [])];
}

// The data is looked for in these years; the epoch is the earliest date that clocks produce by mistake.
export function years(question, today) {
  const period = { start: "1970-01-01", end: `${Number(today.slice(0, 4)) + 1}-01-01` };
  return [...common(question, period), ["interval", "year"]];
}
