import assert from "node:assert/strict";
import { test } from "node:test";

import {
  counterpart, defaultInterval, fitsYear, namedPeriod, neighbors, offeredIntervals, presetLabel, presets, rollingName,
} from "../../../crates/cli/src/page/model/period.js";

const period = (start, end) => ({ start, end });

test("a period has the days that its word says, as in the API", () => {
  const words = [
    ["2026", "2026-01-01", "2027-01-01"], ["1000", "1000-01-01", "1001-01-01"],
    ["2026-Q1", "2026-01-01", "2026-04-01"], ["2026-Q4", "2026-10-01", "2027-01-01"],
    ["2026-02", "2026-02-01", "2026-03-01"], ["2026-12", "2026-12-01", "2027-01-01"],
    ["2026-W01", "2025-12-29", "2026-01-05"], ["2026-W53", "2026-12-28", "2027-01-04"],
    ["1d", "2026-11-24", "2026-11-25"], ["12w", "2026-09-02", "2026-11-25"], ["1mo", "2026-11-01", "2026-11-25"],
    ["12mo", "2025-12-01", "2026-11-25"], ["1y", "2025-12-01", "2026-11-25"],
    ["this-week", "2026-11-23", "2026-11-25"], ["this-year", "2026-01-01", "2026-11-25"],
    ["last-week", "2026-11-16", "2026-11-23"], ["last-month", "2026-10-01", "2026-11-01"],
    ["last-quarter", "2026-07-01", "2026-10-01"], ["last-year", "2025-01-01", "2026-01-01"],
  ];
  const of = (word, today) => {
    const { start, end } = namedPeriod(word, today);
    return [start, end];
  };
  // A unit in which today lies ends with today.
  for (const [word, start, end] of words) {
    const isRunning = start <= "2026-11-24" && end > "2026-11-25";
    assert.deepEqual(of(word, "2026-11-24"), [start, isRunning ? "2026-11-25" : end], word);
  }
  assert.deepEqual(of("1mo", "2026-11-01"), ["2026-11-01", "2026-11-02"]);
  assert.deepEqual(of("1y", "2028-02-29"), ["2027-03-01", "2028-03-01"]);
  assert.deepEqual(of("this-month", "2026-11-30"), ["2026-11-01", "2026-12-01"]);
  assert.deepEqual(of("last-week", "2026-01-01"), ["2025-12-22", "2025-12-29"]);
  const others = "9999y this this-day last-day next-week this-month- d 0d -1d +1d 1.5d 30 30D 12m 10000d 26 0000 9999 2026- 2026-Q0 2026-Q5 2026-q3 2026-Q03 2026Q3 2026-13 "
    + "2026-00 2026-9 2026-W00 2025-W53 2026-W1 2026-09-01 ２０２６ 1é";
  for (const word of [...others.split(" "), "", "last week"]) assert.equal(namedPeriod(word, "2026-11-24"), null, word);
});

test("an interval has its place in an earlier period, which may not have it", () => {
  const places = (question, earlier, ...dates) => dates.map((date) => counterpart(question, { start: earlier }, date));
  const week = { interval: "week", weekStart: "monday", start: "2015-06-01" };
  assert.deepEqual(places(week, "2015-05-03", "2015-06-01", "2015-06-08"), ["2015-05-04", "2015-05-11"]);
  const march = { interval: "day", start: "2026-03-01" };
  assert.deepEqual(places(march, "2026-02-01", "2026-03-28", "2026-03-29"), ["2026-02-28", null]);
  assert.deepEqual(places(march, "2026-02-03", "2026-03-01", "2026-03-31"), ["2026-02-03", "2026-03-05"]);
  // A year of days and a leap day; and months whose first one the period cuts.
  const leap = { interval: "day", start: "2024-02-01" };
  assert.deepEqual(places(leap, "2023-02-01", "2024-02-29", "2024-03-01"), [null, "2023-03-01"]);
  const months = { interval: "month", start: "2015-01-15" };
  assert.deepEqual(places(months, "2014-10-12", "2015-01-15", "2015-04-01"), ["2014-10-01", "2015-01-01"]);
  assert.deepEqual(places({ interval: "quarter", start: "2026-01-01" }, "2025-10-01", "2026-01-01"), ["2025-10-01"]);
});

test("presets are words, which read as themselves, and so do others that roll", () => {
  const today = "2026-05-20";
  for (const { label, period: word, start, end } of presets(today)) {
    assert.equal(presetLabel(word), label);
    assert.ok(rollingName(word), word);
    const named = namedPeriod(word, today);
    assert.deepEqual([start, end], [named.start, named.end]);
  }
  const names = { "12mo": "the last 12 months", "1d": "the last day", "12w": "the last 12 weeks", "last-week": "last week" };
  for (const [word, name] of Object.entries(names)) assert.equal(rollingName(word), name);
  assert.deepEqual(["2026-Q3", undefined].map(rollingName), [undefined, undefined]);
});

test("a period has neighbors of its length, one that runs has those of its unit, and none is in the future", () => {
  const today = "2026-05-20";
  const dates = (one) => one && `${one.start} ${one.end}`;
  const assertNeighbors = (given, ...expected) => {
    const { previous, next: following } = neighbors(given, today);
    assert.deepEqual([dates(previous), dates(following)], expected);
  };
  const worded = (word) => ({ ...namedPeriod(word, today), period: word });
  assertNeighbors(worded("this-month"), "2026-04-01 2026-05-01", null);
  assertNeighbors(worded("2026-Q2"), "2026-01-01 2026-04-01", null);
  assertNeighbors(worded("12mo"), "2024-06-01 2025-06-01", null);
  assertNeighbors(worded("last-month"), "2026-03-01 2026-04-01", "2026-05-01 2026-05-21");
  assertNeighbors(period("2026-04-01", "2026-05-01"), "2026-03-01 2026-04-01", "2026-05-01 2026-05-21");
  assertNeighbors(period("2026-05-01", "2026-05-11"), "2026-04-21 2026-05-01", "2026-05-11 2026-05-21");
});

test("a year at most can be compared with the one before", () => {
  assert.ok(fitsYear(period("2023-12-01", "2024-11-23")));
  assert.ok(fitsYear(period("2024-03-01", "2025-03-01")));
  assert.ok(!fitsYear(period("2024-01-01", "2025-01-02")));
});

test("intervals of which there would be too many or only one are not offered", () => {
  assert.deepEqual(offeredIntervals(period("2014-08-01", "2015-08-01")), ["day", "week", "month", "quarter"]);
  assert.deepEqual(offeredIntervals(period("2026-03-01", "2026-03-02")), ["day"]);
  assert.deepEqual(offeredIntervals(period("1970-01-01", "2026-01-01")), ["quarter", "year"]);
  assert.deepEqual(offeredIntervals(period("1000-01-01", "9999-01-01")), ["year"]);
});

test("the interval is the shortest that can be read at a glance", () => {
  const defaults = [
    ["2026-03-01", "2026-04-01", "day"], ["2026-01-01", "2026-04-01", "week"],
    ["2014-08-01", "2015-08-01", "month"], ["2010-01-01", "2016-01-01", "quarter"],
    ["1970-01-01", "2016-01-01", "year"],
  ];
  for (const [start, end, interval] of defaults) assert.equal(defaultInterval(period(start, end)), interval);
});
