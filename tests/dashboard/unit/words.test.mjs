import assert from "node:assert/strict";
import { test } from "node:test";

import { csv } from "../../../cli/src/dashboard/page/model/csv.js";
import * as format from "../../../cli/src/dashboard/page/model/format.js";
import { groupsSentence, ratingsSentence, respondentsSentence, trendSentence } from "../../../cli/src/dashboard/page/model/sentences.js";

const frequency = (counts) => Array.from({ length: 11 }, (_, rating) => counts[rating] ?? 0);

test("scores have a real minus sign, and no sign where they round to zero", () => {
  assert.equal(format.score(-52.356), "\u221252.4");
  assert.equal(format.score(-0.04), "0.0");
  assert.equal(format.signedScore(8.801), "+8.8");
  assert.equal(format.whole(-0.4), "0");
  assert.equal(format.signedWhole(0), "0");
});

test("a share of nothing is no number", () => {
  assert.equal(format.share(0, 0), "\u2013");
  assert.equal(format.share(0, 5), "0%");
  assert.equal(format.share(1, 3), "33.3%");
  assert.equal(format.share(5, 5), "100%");
});

test("a period is shown with its last day", () => {
  assert.match(format.dates({ start: "2014-08-01", end: "2015-08-01" }), /Aug.*2014.*Jul.*31.*2015|1 Aug 2014.*31 Jul 2015/);
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

test("the sentence on ratings says where half of them lie", () => {
  assert.equal(ratingsSentence(frequency({})), "No responses.");
  assert.match(ratingsSentence(frequency({ 1: 123, 2: 43, 3: 32, 8: 184 })), /^The most frequent rating is 8, given by 48.2%; half of all responses are 3 or lower\.$/);
  assert.match(ratingsSentence(frequency({ 6: 1, 9: 5, 10: 5 })), /^The most frequent ratings are 9, 10, each given by 45.5%; half of all responses are 9 or higher\.$/);
  assert.match(ratingsSentence(frequency({ 10: 3 })), /half of all responses are 10\.$/);
  assert.match(ratingsSentence(frequency({ 0: 3 })), /half of all responses are 0\.$/);
});

test("the sentence on people says how many ratings they gave before", () => {
  const once = "Each person counts once, with their newest rating:";
  assert.equal(respondentsSentence({ superseded: 0 }), `${once} there is no earlier one to leave out.`);
  assert.equal(respondentsSentence({ superseded: 1 }), `${once} 1 earlier rating of the same people is left out.`);
  assert.equal(respondentsSentence({ superseded: 26 }), `${once} 26 earlier ratings of the same people are left out.`);
});

test("the sentence on the trend leaves intervals without responses out", () => {
  const point = (name, responses, nps) => ({ name, responses, nps, interval: "month" });
  assert.equal(trendSentence([point("May", 0, null)]), "No interval has a response.");
  assert.match(trendSentence([point("May", 0, null), point("June", 40, 20), point("July", 0, null)]), /^Responses in one interval only: 20\.0 in June\. .*confidence\.$/);
  assert.match(trendSentence([point("May", 5, -80), point("June", 40, 20)]), /^From \u221280\.0 in May to 20\.0 in June\. .*hollow points rest on fewer than 30 responses\.$/);
});

test("groups are compared only if they have enough responses", () => {
  const group = (name, responses, nps, other = false) => ({ name, responses, nps, other });
  assert.match(groupsSentence([group("a", 29, 90), group("b", 500, 0)]), /too few to compare/);
  assert.equal(groupsSentence([group("a", 30, 90), group("b", 500, 0), group("c", 9000, -90, true)]).join(""), "a (90.0) scores highest and b (0.0) lowest of the groups with at least 30 responses.");
});

test("a table for spreadsheets has no formula, no false zero, and every figure as it is", () => {
  const figures = { responses: 3, displays: 4, dismissed: 1, promoters: 1, passives: 1, detractors: 1, nps: 1 / 3, npsLow: -50.5, npsHigh: 51.25, frequency: frequency({ 0: 1, 7: 1, 10: 1 }) };
  const none = { ...figures, responses: 0, nps: 0, npsLow: null, npsHigh: null };
  const group = (value, other = false) => ({ ...figures, group: value, other });
  const question = { project: "demo", timezone: "UTC", start: "2026-01-01", end: "2026-02-01", interval: "month", group: "@trait", filters: [{ name: "a", type: "string", operator: "eq", value: 'x"y,z' }] };
  const text = csv({ question, figures, before: { period: { start: "2025-12-01", end: "2026-01-01" }, figures: none }, series: { failure: {} }, groups: { value: [group("=1+1"), group(null), group(null, true), group(true), group("-5")] } });
  const lines = text.split("\r\n");
  assert.ok(lines[0].startsWith("\ufeffproject,timezone,filters,respondents,part,start,end,trait,group,groupKind,responses,"));
  assert.equal(lines[1], 'demo,UTC,"a=eq:x""y,z",all,period,2026-01-01,2026-02-01,,,,3,4,1,1,1,1,0.3333333333333333,-50.5,51.25,1,0,0,0,0,0,0,1,0,0,1,');
  assert.ok(lines[2].includes(",period before,2025-12-01,2026-01-01,,,,0,4,1,1,1,1,,,,"));
  assert.deepEqual(lines.slice(3, 8).map((line) => line.split(",").slice(8, 11)), [["'@trait", "'=1+1", "value"], ["'@trait", "", "no value"], ["'@trait", "", "all others"], ["'@trait", "true", "value"], ["'@trait", "'-5", "value"]]);
});

test("a table of people has how many of their ratings are left out", () => {
  const figures = { responses: 3, displays: 6, dismissed: 1, promoters: 1, passives: 1, detractors: 1, nps: 0, npsLow: -50.5, npsHigh: 50.5, frequency: frequency({ 0: 1, 7: 1, 10: 1 }), superseded: 2 };
  const question = { project: "demo", timezone: "UTC", start: "2026-01-01", end: "2026-02-01", interval: "month", filters: [], respondents: "latest" };
  const [head, row] = csv({ question, figures, before: {}, series: {}, groups: {} }).split("\r\n").map((line) => line.split(","));
  const cell = (name) => row[head.indexOf(name)];
  assert.deepEqual(["respondents", "superseded", "rating10"].map(cell), ["latest", "2", "1"]);
});
