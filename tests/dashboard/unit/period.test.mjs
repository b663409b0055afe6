import assert from "node:assert/strict";
import { test } from "node:test";

import {
  addDays, counterpart, defaultInterval, distance, namedPeriod, neighbors, next, offeredIntervals, periodBefore,
  presets, sameComparison, startOf, yearEarlier,
} from "../../../crates/cli/src/page/model/period.js";

const period = (start, end, before) => ({ start, end, before });

const assertBefore = (given, start, end) => assert.deepEqual(periodBefore(given), { start, end });

// Returns the presets of a day by their labels.
const labeled = (today) => Object.fromEntries(presets(today).map(({ label, interval, ...dates }) => [label, dates]));

test("a period has the days that its word says, as in the terminal", () => {
  const words = [
    ["2026", "2026-01-01", "2027-01-01"], ["0001", "0001-01-01", "0002-01-01"],
    ["2026-Q1", "2026-01-01", "2026-04-01"], ["2026-Q4", "2026-10-01", "2027-01-01"],
    ["2026-02", "2026-02-01", "2026-03-01"], ["2026-12", "2026-12-01", "2027-01-01"],
    ["2026-W01", "2025-12-29", "2026-01-05"], ["2026-W53", "2026-12-28", "2027-01-04"],
    ["1d", "2026-11-24", "2026-11-25"], ["12w", "2026-09-02", "2026-11-25"], ["1mo", "2026-11-01", "2026-11-25"],
    ["12mo", "2025-12-01", "2026-11-25"], ["1y", "2025-12-01", "2026-11-25"], ["9999y", "0001-01-01", "2026-11-25"],
  ];
  for (const [word, start, end] of words) assert.deepEqual(namedPeriod(word, "2026-11-24"), { start, end }, word);
  assert.deepEqual(namedPeriod("1mo", "2026-11-01"), { start: "2026-11-01", end: "2026-11-02" });
  assert.deepEqual(namedPeriod("1y", "2028-02-29"), { start: "2027-03-01", end: "2028-03-01" });
  const others = "d 0d -1d +1d 1.5d 30 30D 12m 10000d 26 0000 9999 2026- 2026-Q0 2026-Q5 2026-q3 2026-Q03 2026Q3 2026-13 "
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

test("presets begin with the calendar and end today, or where the last interval did", () => {
  const end = "2026-05-21";
  assert.deepEqual(labeled("2026-05-20"), {
    "Last 7 days": { period: "7d", start: "2026-05-14", end },
    "Last 30 days": { period: "30d", start: "2026-04-21", end },
    "Last 90 days": { period: "90d", start: "2026-02-20", end },
    "Last 12 months": { period: "12mo", start: "2025-06-01", end, before: "2024-06-01" },
    "This month": { period: "1mo", start: "2026-05-01", end, before: "2026-04-01" },
    "Last month": { start: "2026-04-01", end: "2026-05-01" },
    "This quarter": { start: "2026-04-01", end, before: "2026-01-01" },
    "Last quarter": { start: "2026-01-01", end: "2026-04-01" },
    "This year": { start: "2026-01-01", end, before: "2025-01-01" },
    "Last year": { start: "2025-01-01", end: "2026-01-01" },
  });
});

test("what runs is compared with as many days before, and what is complete with all of it", () => {
  for (let today = "2024-01-01"; today < "2026-01-01"; today = addDays(today, 1)) {
    for (const [label, { start, end, before }] of Object.entries(labeled(today)).slice(3)) {
      const other = periodBefore({ start, end, before });
      assert.ok(other.end <= start, `${label} ${today}`);
      const runs = /^This (quarter|year)/.test(label) && end < next(label.slice(5), start);
      const isComplete = startOf("month", end) === end && !runs;
      assert.equal(before === undefined, isComplete, `${label} ${today}`);
      if (before === undefined) assert.equal(other.end, start);
    }
  }
  const running = labeled("2026-05-20");
  assertBefore(running["This quarter"], "2026-01-01", "2026-02-20");
  assertBefore(running["This month"], "2026-04-01", "2026-04-21");
  assertBefore(running["This year"], "2025-01-01", "2025-05-21");
});

test("a period has neighbors of its length, one that runs has those of its unit, and none is in the future", () => {
  const today = "2026-05-20";
  const dates = (one) => one && `${one.start} ${one.end}`;
  const assertNeighbors = (given, ...expected) => {
    const { previous, next: following } = neighbors(given, today);
    assert.deepEqual([dates(previous), dates(following)], expected);
  };
  assertNeighbors(labeled(today)["This month"], "2026-04-01 2026-05-01", null);
  assertNeighbors(period("2026-04-01", "2026-05-01"), "2026-03-01 2026-04-01", "2026-05-01 2026-05-21");
  assertNeighbors(labeled(today)["Last 12 months"], "2024-06-01 2025-06-01", null);
  // The first days of a quarter are those of a month, too: what it is compared with tells.
  const quarter = neighbors(period("2026-04-01", "2026-04-16", "2026-01-01"), "2026-04-15");
  assert.equal(dates(quarter.previous), "2026-01-01 2026-04-01");
  assertNeighbors(period("2026-05-01", "2026-05-11"), "2026-04-21 2026-05-01", "2026-05-11 2026-05-21");
  assertNeighbors(period("0001-01-01", "0001-02-01"), null, "0001-02-01 0001-03-01");
});

test("the kind of comparison stays with another period, where there is one", () => {
  const today = "2026-05-20";
  const { start, end } = labeled(today)["This month"];
  assert.equal(sameComparison("none", { start, end }, today), "none");
  assert.equal(sameComparison("year", { start, end }, today), "year");
  assert.equal(sameComparison("year", period("2020-01-01", "2026-01-01"), today), undefined);
  assert.equal(sameComparison(undefined, { start, end }, today), "2026-04-01");
  assert.equal(sameComparison("2026-04-01", period("2026-03-01", "2026-04-01"), today), undefined);
  assertBefore(period("2026-04-01", "2026-05-01", "year"), "2025-04-01", "2025-05-01");
});

test("a year earlier are the same days, of a year at most", () => {
  const shifted = { start: "2023-12-01", end: "2024-11-23" };
  assert.equal(yearEarlier(shifted), "2022-12-01");
  assertBefore({ ...shifted, before: "2022-12-01" }, "2022-12-01", "2023-11-23");
  assertBefore(period("2024-03-01", "2025-03-01", "2023-03-01"), "2023-03-01", "2024-03-01");
  assert.equal(yearEarlier({ start: "2024-01-01", end: "2025-01-02" }), null);
  assert.equal(yearEarlier({ start: "0001-03-01", end: "0001-04-01" }), null);
});

test("a period of whole months is compared with as many months before", () => {
  assertBefore(period("2026-03-01", "2026-04-01"), "2026-02-01", "2026-03-01");
  assertBefore(period("2014-08-01", "2015-08-01"), "2013-08-01", "2014-08-01");
  assertBefore(period("2025-11-22", "2026-11-22"), "2024-11-22", "2025-11-22");
  assertBefore(period("2024-01-31", "2024-02-29"), "2023-12-31", "2024-01-31");
});

test("any other period is compared with as many days before", () => {
  assertBefore(period("2026-03-10", "2026-03-20"), "2026-02-28", "2026-03-10");
  assertBefore(period("2026-04-21", "2026-05-21"), "2026-03-21", "2026-04-21");
});

test("intervals of which there would be too many or only one are not offered", () => {
  assert.deepEqual(offeredIntervals(period("2014-08-01", "2015-08-01")), ["day", "week", "month", "quarter"]);
  assert.deepEqual(offeredIntervals(period("2026-03-01", "2026-03-02")), ["day"]);
  assert.deepEqual(offeredIntervals(period("1970-01-01", "2026-01-01")), ["quarter", "year"]);
  assert.deepEqual(offeredIntervals(period("0001-01-01", "9999-01-01")), ["year"]);
});

test("the interval is the shortest that can be read at a glance", () => {
  const defaults = [
    ["2026-03-01", "2026-04-01", "day"], ["2026-01-01", "2026-04-01", "week"],
    ["2014-08-01", "2015-08-01", "month"], ["2010-01-01", "2016-01-01", "quarter"],
    ["1970-01-01", "2016-01-01", "year"],
  ];
  for (const [start, end, interval] of defaults) assert.equal(defaultInterval(period(start, end)), interval);
});

test("the distance of two periods is in whole years, months or days", () => {
  const distances = [
    ["2025-01-01", "2026-01-01", "a year"], ["2023-03-01", "2026-03-01", "3 years"],
    ["2025-12-01", "2026-01-01", "a month"], ["2025-10-01", "2026-01-01", "3 months"],
    ["2025-12-31", "2026-01-01", "a day"], ["2025-12-02", "2026-01-01", "30 days"],
  ];
  for (const [earlier, start, words] of distances) assert.equal(distance(earlier, start), words);
});
