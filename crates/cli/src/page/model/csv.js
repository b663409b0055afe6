// The page as one table: a row for the period, the period before, each interval and each group.

import { COUNTS } from "./figures.js";
import { filtersOfGroups, formatFilter, windowOf } from "./question.js";

const FIGURES = [...COUNTS, "nps", "npsLow", "npsHigh"];
const HEADER = [
  "project", "timezone", "filters", "respondents", "part", "summable", "start", "end",
  "trait", "group", "groupKind",
  ...FIGURES, ...Array.from({ length: 11 }, (_, rating) => `rating${rating}`), "superseded", "partial",
];

// Returns the text of the table, as RFC 4180 has it, with the mark by which spreadsheets recognize UTF-8.
export function csv({ question, figures, before, series, groups, lines = [] }) {
  const { project, timezone, filters, respondents = "all", group, groupType } = question;
  const ofGroups = filtersOfGroups(question, { name: group, type: groupType });
  // Intervals make up the period, and so do groups: a sum over all rows would count every record repeatedly.
  const which = respondents === "latest" ? "displays and dismissed " : "";
  const window = windowOf(question);
  const interval = window ? `${window} days, by ${question.interval}` : question.interval;
  const overlaps = (part) => part.startsWith("period") || (window && part !== "group");
  const summable = (part) => (overlaps(part) ? "no" : `${which}with rows of ${part}`);
  const row = (part, { start, end }, of, columns) => [
    text(project), text(timezone), text((columns ? ofGroups : filters).map(formatFilter).join("; ")),
    respondents, part, summable(part), start, end, ...(columns ?? ["", "", ""]),
    ...FIGURES.map((name) => number(of, name)), ...of.frequency, number(of, "superseded"), of.partial ?? "",
  ];
  const rows = [HEADER, row("period", question, figures)];
  if (before.period) rows.push(row("period before", before.period, figures.before));
  for (const point of series.value ?? []) rows.push(row(interval, point, point));
  for (const { name, points = [] } of lines) {
    const columns = [text(group), text(name), "value"];
    for (const point of points) rows.push(row(`${interval} of group`, point, point, columns));
  }
  for (const one of groups.value ?? []) {
    const kind = one.other ? "all others" : one.group === null ? "no value" : "value";
    const value = typeof one.group === "string" ? text(one.group) : (one.group ?? "");
    rows.push(row("group", question, one, [text(group), value, kind]));
  }
  return `\ufeff${rows.map((cells) => cells.join(",")).join("\r\n")}\r\n`;
}

// Names the table by its project, its start and its filters, whose signs no file system may take.
export function fileName({ project, start, filters }) {
  const words = filters.map(({ name, operator, value }) => `${name} ${operator} ${value}`);
  const named = [project, start, ...words].join(" ").match(/[\p{L}\p{M}\p{N}_.]+/gu).join("-");
  return `feedback-${/^.{0,80}/u.exec(named)[0]}.csv`;
}

// A score without responses is no number, even where the API has to say 0.
const number = (of, name) => (name === "nps" && of.responses === 0 ? null : of[name]) ?? "";

// Quotes a text as `feedback stats --csv` does. A text that begins like a formula, which spreadsheets would
// compute, gets an apostrophe before it; so does one that begins with an apostrophe, to keep texts different.
function text(value) {
  const mark = /^[=+\-@\t\r\n\0\uff1d\uff0b\uff0d\uff20']/.test(value) ? "'" : "";
  return `"${mark}${value.replaceAll('"', '""')}"`;
}
