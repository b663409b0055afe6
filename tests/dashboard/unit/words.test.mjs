import assert from "node:assert/strict";
import { test } from "node:test";

import { csv } from "../../../cli/src/dashboard/page/model/csv.js";
import * as format from "../../../cli/src/dashboard/page/model/format.js";
import { changeSentence, groupsSentence, outsideSentence, rateOf, ratingsSentence, respondentsSentence, trendSentence } from "../../../cli/src/dashboard/page/model/sentences.js";

const frequency = (counts) => Array.from({ length: 11 }, (_, rating) => counts[rating] ?? 0);

test("scores have a real minus sign, and no sign where they round to zero", () => {
  assert.equal(format.score(-52.356), "\u221252.4");
  assert.equal(format.score(-0.04), "0.0");
  assert.equal(format.signedScore(8.801), "+8.8");
  assert.equal(format.whole(-0.4), "0");
  assert.equal(format.signedWhole(0), "0");
});

test("counts of five digits and more are shortened for drawings", () => {
  const shortened = { 0: "0", 9999: "9,999", 10000: "10k", 16142: "16.1k", 99950: "100k", 999999: "1M", 1137756: "1.14M", 11377560: "11.4M", 2000000000: "2B" };
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

test("the sentence on ratings says where half of them lie", () => {
  assert.equal(ratingsSentence(frequency({})), "No responses.");
  assert.match(ratingsSentence(frequency({ 1: 123, 2: 43, 3: 32, 8: 184 })), /^The most frequent rating is 8, given by 48.2%; half of all responses are 3 or lower\.$/);
  assert.match(ratingsSentence(frequency({ 6: 1, 9: 5, 10: 5 })), /^The most frequent ratings are 9, 10, each given by 45.5%; half of all responses are 9 or higher\.$/);
  assert.match(ratingsSentence(frequency({ 10: 3 })), /half of all responses are 10\.$/);
  assert.match(ratingsSentence(frequency({ 0: 3 })), /half of all responses are 0\.$/);
});

test("the sentence on people says how many ratings they gave before", () => {
  const once = "Each person with an id counts once, with their newest rating:";
  assert.equal(respondentsSentence({ superseded: 0 }), `${once} there is no earlier one to leave out.`);
  assert.equal(respondentsSentence({ superseded: 1 }), `${once} 1 earlier rating of the same people is left out.`);
  assert.equal(respondentsSentence({ superseded: 26 }), `${once} 26 earlier ratings of the same people are left out.`);
});

const rated = (promoters, passives, detractors) => {
  const responses = promoters + passives + detractors;
  return { responses, promoters, passives, detractors, nps: (100 * (promoters - detractors)) / responses };
};

test("the sentence on the trend compares whole intervals that are over and have enough responses", () => {
  const point = (name, figures, complete = true) => ({ name, ...figures, complete, interval: "month" });
  const none = { responses: 0, nps: null, npsLow: null, npsHigh: null };
  const nothing = /^No two complete intervals have at least 30 responses, so none are compared\. The band .*confidence/;
  assert.equal(trendSentence([point("May", none)]), "No interval has a response.");
  const [low, high, few] = [rated(5, 5, 20), rated(20, 5, 5), rated(29, 0, 0)];
  assert.match(trendSentence([point("May", none), point("June", high), point("July", few)]), nothing);
  assert.match(trendSentence([point("May", low, false), point("June", high), point("July", low, false)]), nothing);
  const points = [point("April", few), point("May", low), point("June", few), point("July", high), point("August", high, false)];
  assert.match(trendSentence(points), /^From \u221250\.0 in May to 50\.0 in July: the change of \+100\.0 points is unlikely to be chance alone \(with 95% confidence it lies between \+53 and \+129\)\. The band .*; hollow points rest on fewer than 30 responses\.$/);
  assert.match(trendSentence([point("May", high), point("June", low), point("July", high)]), /^From 50\.0 in May to 50\.0 in July: the change of 0\.0 points could be chance \(with 95% confidence it lies between \u221238 and \+38\)\. /);
});

test("the sentence on the trend says when a day and a week are", () => {
  const points = (interval) => [1, 2].map((at) => ({ name: `x${at}`, interval, complete: true, ...rated(10, 10, 10) }));
  assert.match(trendSentence(points("day")), /^From 0\.0 on x1 to 0\.0 on x2/);
  assert.match(trendSentence(points("week")), /^From 0\.0 in the x1 to 0\.0 in the x2/);
});

test("groups are named only where their difference is more than chance explains", () => {
  const group = (name, figures, other = false) => ({ name, ...figures, other });
  const said = (...groups) => [groupsSentence(groups)].flat().join("");
  const none = "Fewer than two groups have at least 30 responses, so none are compared.";
  const [low, high] = [rated(5, 5, 20), rated(20, 5, 5)];
  assert.equal(said(), none);
  assert.equal(said(group("a", rated(0, 0, 29)), group("b", high), group("c", low, true)), none);
  assert.equal(said(group("a", low), group("b", high), group("c", rated(0, 0, 90), true)), "b (50.0) scores highest and a (\u221250.0) lowest of the groups with at least 30 responses; the difference is unlikely to be chance alone.");
  const chance = "No difference between the groups with at least 30 responses can be told from chance.";
  assert.equal(said(group("a", rated(10, 10, 10)), group("b", rated(15, 5, 10))), chance);
  const pair = [group("a", rated(400, 300, 300)), group("b", rated(440, 300, 260))];
  assert.match(said(...pair), /^b \(18\.0\) scores highest and a \(10\.0\) lowest/);
  assert.equal(said(...pair, group("c", rated(420, 300, 280))), chance);
  assert.equal(said(group("small", rated(12, 12, 6)), group("large", rated(5000, 2500, 2500)), group("flat", rated(4000, 2500, 3500)), group("tiny", rated(9, 10, 11))),
    "large (25.0) scores higher than flat (5.0), which is unlikely to be chance alone. Which group scores highest or lowest cannot be told from chance.");
});

test("a change is judged with its interval, whose bounds show their sign", () => {
  const change = (low, high, points = (low + high) / 2) => changeSentence({ points, low, high, certain: low > 0 || high < 0 }, "the month before").verdict;
  const confident = "with 95% confidence the change lies between";
  assert.equal(change(0.3, 34.2), `Unlikely to be chance alone: ${confident} +0.3 and +35.`);
  assert.equal(change(-34.2, -0.04), `Unlikely to be chance alone: ${confident} \u221235 and \u22120.04.`);
  assert.equal(change(-0.3, 34), `Could be chance: ${confident} \u22121 and +34.`);
  assert.equal(change(-12.1, 0.001), `Could be chance: ${confident} \u221213 and +1.`);
  assert.equal(change(0, 3), `Could be chance: ${confident} 0 and +3.`);
  const outside = " The measured change lies outside, because this allows for customers who would rate differently.";
  assert.equal(change(-54, 153.9, 200), `Could be chance: ${confident} \u221254 and +154.${outside}`);
  assert.equal(change(-153.9, 54, -200), `Could be chance: ${confident} \u2212154 and +54.${outside}`);
  assert.equal(change(199.1, 199.8, 200), `Unlikely to be chance alone: ${confident} +199 and +200.`);
});

test("a change on a period that begins without data is not judged", () => {
  const { change, on, verdict } = changeSentence({ points: 12, low: 3, high: 21, certain: true }, "the 12 months before", "2013-09-01");
  assert.deepEqual([change, on], ["+12.0 points", "on the 12 months before"]);
  assert.equal(verdict, "No displays are recorded in the 12 months before until 31 Aug 2013. Data may be missing there, so the change is not judged.");
});

test("a score outside its interval is explained", () => {
  const [one, two, inside] = [{ responses: 1, nps: 100, npsLow: -48.5, npsHigh: 98.5 }, { responses: 2, nps: 100, npsLow: -10, npsHigh: 94 }, { responses: 2, nps: 100, npsLow: -24, npsHigh: 100 }];
  assert.equal(outsideSentence([inside]), null);
  assert.equal(outsideSentence([]), null);
  assert.equal(outsideSentence([inside, one]), "The score of one response can lie outside its interval, which allows for customers who would rate differently.");
  assert.match(outsideSentence([one, two]), /^The score of so few responses can lie outside/);
  assert.match(trendSentence([{ ...one, name: "May", interval: "month", complete: true }]), / The score of one response can lie outside its interval, which allows for customers who would rate differently\.$/);
});

test("where every display is answered there is no rate", () => {
  assert.deepEqual(rateOf(5, 5), { rate: "\u2013", of: "no unanswered displays (surveys shown) are recorded" });
  assert.deepEqual(rateOf(4, 5), { rate: "80.0%", of: "of 5 displays (surveys shown)" });
  assert.deepEqual(rateOf(0, 1), { rate: "0%", of: "of 1 display (surveys shown)" });
  assert.deepEqual(rateOf(0, 0), { rate: "\u2013", of: "of 0 displays (surveys shown)" });
});

test("a table for spreadsheets has no formula, no false zero, and every figure as it is", () => {
  const figures = { responses: 3, displays: 4, dismissed: 1, promoters: 1, passives: 1, detractors: 1, nps: 1 / 3, npsLow: -50.5, npsHigh: 51.25, frequency: frequency({ 0: 1, 7: 1, 10: 1 }) };
  const none = { ...figures, responses: 0, nps: 0, npsLow: null, npsHigh: null };
  const group = (value, other = false) => ({ ...figures, group: value, other });
  const question = { project: "demo", timezone: "UTC", start: "2026-01-01", end: "2026-02-01", interval: "month", group: "@trait", filters: [{ name: "a", type: "string", operator: "eq", value: 'x"y,z' }] };
  const text = csv({ question, figures, before: { period: { start: "2025-12-01", end: "2026-01-01" }, figures: none }, series: { failure: {} }, groups: { value: [group("=1+1"), group(null), group(null, true), group(true), group("-5")] } });
  const lines = text.split("\r\n");
  assert.ok(lines[0].startsWith("\ufeffproject,timezone,filters,respondents,part,summable,start,end,trait,group,groupKind,responses,"));
  assert.equal(lines[1], 'demo,UTC,"a=eq:x""y,z",all,period,no,2026-01-01,2026-02-01,,,,3,4,1,1,1,1,0.3333333333333333,-50.5,51.25,1,0,0,0,0,0,0,1,0,0,1,,');
  assert.ok(lines[2].includes(",period before,no,2025-12-01,2026-01-01,,,,0,4,1,1,1,1,,,,"));
  assert.deepEqual(lines.slice(3, 8).map((line) => line.split(",").slice(9, 12)), [["'@trait", "'=1+1", "value"], ["'@trait", "", "no value"], ["'@trait", "", "all others"], ["'@trait", "true", "value"], ["'@trait", "'-5", "value"]]);
});

test("a table for spreadsheets names the intervals that are not whole, and has the lines of the trend", () => {
  const figures = { responses: 3, displays: 4, dismissed: 1, promoters: 1, passives: 1, detractors: 1, nps: 0, npsLow: -50.5, npsHigh: 51.25, frequency: frequency({ 0: 1, 7: 1, 10: 1 }) };
  const question = { project: "demo", timezone: "UTC", start: "2026-01-15", end: "2026-03-01", interval: "month", group: "plan", filters: [] };
  const points = [{ ...figures, start: "2026-01-15", end: "2026-02-01", partial: "part" }, { ...figures, start: "2026-02-01", end: "2026-03-01", partial: null }];
  const lines = [{ name: "pro", points: points.map((point) => ({ ...point, responses: 2 })) }, { name: "free", problem: "not among the groups shown" }];
  const [head, ...rows] = csv({ question, figures, before: {}, series: { value: points }, groups: {}, lines }).trimEnd().split("\r\n").map((line) => line.split(","));
  const cells = (row) => ["part", "start", "end", "trait", "group", "groupKind", "responses", "partial"].map((name) => row[head.indexOf(name)]);
  assert.deepEqual(rows.slice(1).map(cells), [
    ["month", "2026-01-15", "2026-02-01", "", "", "", "3", "part"], ["month", "2026-02-01", "2026-03-01", "", "", "", "3", ""],
    ["month of group", "2026-01-15", "2026-02-01", "plan", "pro", "value", "2", "part"], ["month of group", "2026-02-01", "2026-03-01", "plan", "pro", "value", "2", ""],
  ]);
});

test("a table of people has how many of their ratings are left out", () => {
  const figures = { responses: 3, displays: 6, dismissed: 1, promoters: 1, passives: 1, detractors: 1, nps: 0, npsLow: -50.5, npsHigh: 50.5, frequency: frequency({ 0: 1, 7: 1, 10: 1 }), superseded: 2 };
  const question = { project: "demo", timezone: "UTC", start: "2026-01-01", end: "2026-02-01", interval: "month", filters: [], respondents: "latest" };
  const [head, row] = csv({ question, figures, before: {}, series: {}, groups: {} }).split("\r\n").map((line) => line.split(","));
  const cell = (name) => row[head.indexOf(name)];
  assert.deepEqual(["respondents", "summable", "superseded", "rating10"].map(cell), ["latest", "no", "2", "1"]);
  const [, , month] = csv({ question, figures, before: {}, series: { value: [{ ...figures, start: "2026-01-01", end: "2026-02-01" }] }, groups: {} }).split("\r\n");
  assert.ok(month.includes(',month,displays and dismissed with rows of month,'), month);
});
