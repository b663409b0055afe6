// Everything on the page as one table: a row for the period, the one before, each interval and each group.

import { formatFilter } from "./question.js";

const FIGURES = ["responses", "displays", "dismissed", "promoters", "passives", "detractors", "nps", "npsLow", "npsHigh"];
const RATINGS = Array.from({ length: 11 }, (_, rating) => rating);
const HEADER = ["project", "timezone", "filters", "respondents", "part", "summable", "start", "end", "trait", "group", "groupKind"];

// Returns the text of the table, as RFC 4180 has it, with the mark by which spreadsheets recognize UTF-8.
export function csv({ question, figures, before, series, groups, lines = [] }) {
  const { project, timezone, filters, respondents = "all", group } = question;
  const all = [text(project), text(timezone), text(filters.map(formatFilter).join("; ")), respondents];
  // Intervals make up the period, and so do groups: a sum over all rows would count every record several times.
  const summable = (part) => (part.startsWith("period") ? "no" : `${respondents === "latest" ? "displays and dismissed " : ""}with rows of ${part}`);
  const row = (part, { start, end }, of, columns = ["", "", ""]) => [
    ...all, part, summable(part), start, end, ...columns, ...FIGURES.map((name) => number(of, name)), ...RATINGS.map((rating) => of.frequency[rating]), number(of, "superseded"), of.partial ?? "",
  ];
  const rows = [[...HEADER, ...FIGURES, ...RATINGS.map((rating) => `rating${rating}`), "superseded", "partial"], row("period", question, figures)];
  if (before.figures) rows.push(row("period before", before.period, before.figures));
  for (const point of series.value ?? []) rows.push(row(question.interval, point, point));
  for (const { name, points = [] } of lines) {
    for (const point of points) rows.push(row(`${question.interval} of group`, point, point, [text(group), text(name), "value"]));
  }
  for (const one of groups.value ?? []) {
    const kind = one.other ? "all others" : one.group === null ? "no value" : "value";
    rows.push(row("group", question, one, [text(group), typeof one.group === "string" ? text(one.group) : (one.group ?? ""), kind]));
  }
  return `\ufeff${rows.map((cells) => cells.join(",")).join("\r\n")}\r\n`;
}

// A score without responses is no number, even where the API has to say 0.
function number(of, name) {
  return (name === "nps" && of.responses === 0 ? null : of[name]) ?? "";
}

// Quotes a text as `feedback stats --csv` does. Spreadsheets would compute one that begins like a formula, so it gets an
// apostrophe before it. One that begins with an apostrophe gets one, too: no two texts become equal.
function text(value) {
  const mark = /^[=+\-@\t\r\n\0\uff1d\uff0b\uff0d\uff20']/.test(value) ? "'" : "";
  return `"${mark}${value.replaceAll('"', '""')}"`;
}
