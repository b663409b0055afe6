import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { csv } from "../../../crates/cli/src/page/model/csv.js";
import { isFew } from "../../../crates/cli/src/page/model/figures.js";
import * as format from "../../../crates/cli/src/page/model/format.js";
import { parseFilter } from "../../../crates/cli/src/page/model/question.js";
import { respondentsSentence, scaleSentence } from "../../../crates/cli/src/page/model/sentences.js";

test("scores have a real minus sign, and no sign where they round to zero", () => {
  assert.equal(format.score(-52.356), "\u221252.4");
  assert.equal(format.score(-0.04), "0.0");
  assert.equal(format.whole(-0.4), "0");
  assert.equal(format.signedWhole(0), "0");
});

test("ratings of another scale are told as in the terminal", () => {
  const cases = JSON.parse(readFileSync(new URL("../../scales.json", import.meta.url)));
  for (const { frequency, highest } of cases) {
    const responses = frequency.reduce((sum, count) => sum + count, 0);
    const said = highest && `All ratings are ${highest} or less. If the survey asks 0\u2013${highest}, this is no NPS.`;
    assert.equal(scaleSentence({ responses, frequency }) || null, said);
  }
  const of = (...frequency) => Boolean(scaleSentence({ responses: frequency.reduce((sum, one) => sum + one), frequency }));
  const none = [0, 0, 0, 0, 0];
  assert.deepEqual([of(0, 2, 2, 2, 0, 2, ...none), of(0, 2, 2, 2, 0, 1, ...none), of(1, 2, 2, 2, 2, 2, ...none)],
    [true, false, false]);
});

test("the interval of a score, and what is soft, are those of the table of cases", () => {
  const cases = JSON.parse(readFileSync(new URL("../../intervals.json", import.meta.url)));
  assert.ok(cases.length > 10);
  for (const { responses, low, high, interval, few } of cases) {
    assert.equal(format.scoreInterval({ npsLow: low, npsHigh: high }).replaceAll("\u00a0", " "), interval);
    assert.equal(isFew({ responses }), few);
  }
});

test("counts are exact, and millions are shortened for drawings", () => {
  const shortened = {
    0: "0", 12164: "12,164", 999999: "999,999", 1137756: "1.14M", 11377560: "11.4M", 2000000000: "2B",
  };
  for (const [value, text] of Object.entries(shortened)) assert.equal(format.short(Number(value)), text);
});

test("a share of nothing is no number", () => {
  assert.equal(format.share(0, 0), "\u2013");
  assert.equal(format.share(0, 5), "0%");
  assert.equal(format.share(1, 3), "33.3%");
  assert.equal(format.share(5, 5), "100%");
});

test("a period is shown with its last day", () => {
  assert.match(format.dates({ start: "2014-08-01", end: "2015-08-01" }), /^1 Aug 2014\s–\s31 Jul 2015$/);
});

test("the date of an interval is the server's, and computed only where an offset has seconds", () => {
  assert.equal(format.localDate("2026-03-01T00:00:00.000+01:00", "Europe/Prague"), "2026-03-01");
  assert.equal(format.localDate("2026-03-01T00:00:00.000Z", "UTC"), "2026-03-01");
  assert.equal(format.localDate("1971-01-01T00:44:30.000Z", "Africa/Monrovia"), "1971-01-01");
  assert.equal(format.localDate("1970-12-31T23:44:30.000Z", "Africa/Monrovia"), "1970-12-31");
});

test("today is that of the zone, and of UTC where the zone is unknown here", () => {
  const instant = new Date("2026-11-21T23:30:00Z");
  assert.equal(format.dateIn(instant, "Pacific/Kiritimati"), "2026-11-22");
  assert.equal(format.dateIn(instant, "America/New_York"), "2026-11-21");
  assert.equal(format.dateIn(instant, "Mars/Olympus"), "2026-11-21");
});

test("intervals that the period cuts are recognized", () => {
  assert.equal(format.isCut({ interval: "month" }, "2026-03-01", "2026-04-01"), false);
  assert.equal(format.isCut({ interval: "month" }, "2026-03-02", "2026-04-01"), true);
  assert.equal(format.isCut({ interval: "month" }, "2026-03-01", "2026-03-31"), true);
  assert.equal(format.isCut({ interval: "week", weekStart: "sunday" }, "2026-05-17", "2026-05-24"), false);
});

test("the sentence on people says how many ratings they gave before", () => {
  const newest = "Each person\u2019s newest rating counts:";
  assert.equal(respondentsSentence({ superseded: 0 }), `${newest} there is no earlier one.`);
  assert.equal(respondentsSentence({ superseded: 1 }), `${newest} 1 earlier rating left out.`);
  assert.equal(respondentsSentence({ superseded: 26 }), `${newest} 26 earlier ratings left out.`);
});

test("a month, a quarter and a year are named, and other periods have their dates", () => {
  const names = [
    ["2026-02-01", "2026-03-01", "February"], ["2025-12-01", "2026-01-01", "December 2025"],
    ["2025-10-01", "2026-01-01", "Q4 2025"], ["2025-01-01", "2026-01-01", "2025"],
    ["2026-02-01", "2026-02-27", "1 \u2013 26 Feb 2026"], ["2026-02-03", "2026-02-04", "3 Feb 2026"],
    ["2025-12-01", "2026-02-01", "1 Dec 2025 \u2013 31 Jan 2026"],
  ];
  for (const [start, end, name] of names) {
    assert.equal(format.periodName({ start, end }, "2026").replaceAll("\u2009", " "), name);
  }
});

const FIGURES = {
  responses: 3, displays: 4, dismissed: 1, promoters: 1, passives: 1, detractors: 1,
  nps: 1 / 3, npsLow: -50.5, npsHigh: 51.25, frequency: [1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1],
};
const JANUARY = {
  project: "demo", timezone: "UTC", start: "2026-01-01", end: "2026-02-01", interval: "month", filters: [],
};

// Returns the cells of each row of a table.
function table(answer) {
  const rows = csv({ before: {}, series: {}, groups: {}, ...answer }).trimEnd().split("\r\n");
  return rows.map((row) => row.split(","));
}

test("a table for spreadsheets has no formula, no false zero, and every figure as it is", () => {
  const none = { ...FIGURES, responses: 0, nps: 0, npsLow: null, npsHigh: null };
  const group = (value, other = false) => ({ ...FIGURES, group: value, other });
  const filters = [{ name: "a", type: "string", operator: "eq", value: 'x"y,z' }];
  const before = { period: { start: "2025-12-01", end: "2026-01-01" } };
  const found = [
    group("=1+1"), group(null), group(null, true), group(true), group("-5"), group("\uff1d1+1"),
    group("'=x"), group(""),
  ];
  const question = { ...JANUARY, group: "@trait", filters };
  const figures = { ...FIGURES, before: none };
  const text = csv({ question, figures, before, series: { failure: {} }, groups: { value: found } });
  const lines = text.split("\r\n");
  const head = "\ufeffproject,timezone,filters,respondents,part,summable,start,end,trait,group,groupKind";
  assert.ok(lines[0].startsWith(`${head},responses,`));
  assert.equal(lines[1], '"demo","UTC","a=eq:x""y,z",all,period,no,2026-01-01,2026-02-01,,,,3,4,1,1,1,1,'
    + "0.3333333333333333,-50.5,51.25,1,0,0,0,0,0,0,1,0,0,1,,");
  assert.ok(lines[2].includes(",period before,no,2025-12-01,2026-01-01,,,,0,4,1,1,1,1,,,,"));
  const groups = lines.slice(3, -1).map((line) => line.split(",").slice(9, 12));
  const values = [`"'=1+1"`, "", "", "true", `"'-5"`, `"'\uff1d1+1"`, `"''=x"`, `""`];
  const kinds = ["value", "no value", "all others", ...Array(5).fill("value")];
  assert.deepEqual(groups, values.map((value, at) => [`"'@trait"`, value, kinds[at]]));
});

test("a table names intervals that are not whole, and has the trend's lines, whatever group is chosen", () => {
  const filters = ["plan=eq:pro", "plan=ne:free"].map(parseFilter);
  const question = { ...JANUARY, start: "2026-01-15", end: "2026-03-01", group: "plan", filters };
  const points = [
    { ...FIGURES, start: "2026-01-15", end: "2026-02-01", partial: "part" },
    { ...FIGURES, start: "2026-02-01", end: "2026-03-01", partial: null },
  ];
  const pro = { name: "pro", points: points.map((point) => ({ ...point, responses: 2 })) };
  const lines = [pro, { name: "free", problem: "not among the groups shown" }];
  const [head, ...rows] = table({ question, figures: FIGURES, series: { value: points }, lines });
  const shown = ["filters", "part", "start", "end", "trait", "group", "groupKind", "responses", "partial"];
  assert.deepEqual(rows.slice(1).map((row) => shown.map((name) => row[head.indexOf(name)])), [
    ['"plan=eq:pro; plan=ne:free"', "month", "2026-01-15", "2026-02-01", "", "", "", "3", "part"],
    ['"plan=eq:pro; plan=ne:free"', "month", "2026-02-01", "2026-03-01", "", "", "", "3", ""],
    ['"plan=ne:free"', "month of group", "2026-01-15", "2026-02-01", '"plan"', '"pro"', "value", "2", "part"],
    ['"plan=ne:free"', "month of group", "2026-02-01", "2026-03-01", '"plan"', '"pro"', "value", "2", ""],
  ]);
});

test("a table of people has how many of their ratings are left out", () => {
  const figures = { ...FIGURES, superseded: 2 };
  const question = { ...JANUARY, respondents: "latest" };
  const points = [{ ...figures, start: "2026-01-01", end: "2026-02-01" }];
  const [head, period, month] = table({ question, figures, series: { value: points } });
  const columns = ["respondents", "summable", "superseded", "rating10"].map((name) => head.indexOf(name));
  const cells = (row) => columns.map((column) => row[column]);
  assert.deepEqual(cells(period), ["latest", "no", "2", "1"]);
  assert.deepEqual(cells(month), ["latest", "displays and dismissed with rows of month", "2", "1"]);
});
