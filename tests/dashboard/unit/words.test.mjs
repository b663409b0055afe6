import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { isFew, scaleSentence } from "../../../crates/cli/src/page/model/figures.js";
import * as format from "../../../crates/cli/src/page/model/format.js";

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
    const said = highest && `All ratings are ${highest} or less. If the scale ends at ${highest}, this is no NPS.`;
    assert.equal(scaleSentence({ responses, frequency }) || null, said);
  }
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

test("a month, a quarter and a year are named, and other periods have their dates", () => {
  const names = [
    ["2026-02-01", "2026-03-01", "February 2026"], ["2025-12-01", "2026-01-01", "December 2025"],
    ["2025-10-01", "2026-01-01", "Q4 2025"], ["2025-01-01", "2026-01-01", "2025"],
    ["2026-02-01", "2026-02-27", "1 \u2013 26 Feb 2026"], ["2026-02-03", "2026-02-04", "3 Feb 2026"],
    ["2025-12-01", "2026-02-01", "1 Dec 2025 \u2013 31 Jan 2026"],
  ];
  for (const [start, end, name] of names) {
    assert.equal(format.periodName({ start, end }).replaceAll("\u2009", " "), name);
  }
});
