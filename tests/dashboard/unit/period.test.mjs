import assert from "node:assert/strict";
import { test } from "node:test";

import { addDays, defaultInterval, lengthOf, nameOfBefore, next, offeredIntervals, periodBefore, PRESETS, startOf, yearEarlier } from "../../../cli/src/page/model/period.js";

const period = (start, end, before) => ({ start, end, before });

function presets(today) {
  return Object.fromEntries(PRESETS.map(({ label, period }) => [label, period(today)]));
}

test("presets begin with the calendar and end today, or where the last interval did", () => {
  const end = "2026-05-21";
  assert.deepEqual(presets("2026-05-20"), {
    "Last 30 days": { start: "2026-04-21", end },
    "Last 12 months": { start: "2025-06-01", end, before: "2024-06-01" },
    "This month": { start: "2026-05-01", end, before: "2026-04-01" },
    "Last month": { start: "2026-04-01", end: "2026-05-01" },
    "This quarter": { start: "2026-04-01", end, before: "2026-01-01" },
    "Last quarter": { start: "2026-01-01", end: "2026-04-01" },
    "This year": { start: "2026-01-01", end, before: "2025-01-01" },
  });
});

test("what runs is compared with as many days of what was before, without overlapping, and what is complete with all of it", () => {
  for (let today = "2024-01-01"; today < "2026-01-01"; today = addDays(today, 1)) {
    for (const [label, { start, end, before }] of Object.entries(presets(today)).slice(1)) {
      const other = periodBefore({ start, end, before });
      assert.ok(other.end <= start, `${label} ${today}`);
      assert.equal(before === undefined, startOf("month", end) === end && !(/^This (quarter|year)/.test(label) && end < next(label.slice(5), start)), `${label} ${today}`);
      if (before === undefined) assert.equal(other.end, start);
    }
  }
  assert.deepEqual(periodBefore(presets("2026-05-20")["This quarter"]), { start: "2026-01-01", end: "2026-02-20" });
  assert.deepEqual(periodBefore(presets("2026-05-20")["This month"]), { start: "2026-04-01", end: "2026-04-21" });
  assert.deepEqual(periodBefore(presets("2026-05-20")["This year"]), { start: "2025-01-01", end: "2025-05-21" });
});

test("a year earlier are the same days, of a year at most", () => {
  const shifted = { start: "2023-12-01", end: "2024-11-23" };
  assert.equal(yearEarlier(shifted), "2022-12-01");
  assert.deepEqual(periodBefore({ ...shifted, before: "2022-12-01" }), { start: "2022-12-01", end: "2023-11-23" });
  assert.deepEqual(periodBefore({ start: "2024-03-01", end: "2025-03-01", before: "2023-03-01" }), { start: "2023-03-01", end: "2024-03-01" });
  assert.equal(yearEarlier({ start: "2024-01-01", end: "2025-01-02" }), null);
  assert.equal(yearEarlier({ start: "0001-03-01", end: "0001-04-01" }), null);
});

test("a period of whole months is compared with as many months before", () => {
  assert.deepEqual(periodBefore(period("2026-03-01", "2026-04-01")), { start: "2026-02-01", end: "2026-03-01" });
  assert.deepEqual(periodBefore(period("2014-08-01", "2015-08-01")), { start: "2013-08-01", end: "2014-08-01" });
  assert.deepEqual(periodBefore(period("2025-11-22", "2026-11-22")), { start: "2024-11-22", end: "2025-11-22" });
  assert.deepEqual(periodBefore(period("2024-01-31", "2024-02-29")), { start: "2023-12-31", end: "2024-01-31" });
});

test("any other period is compared with as many days before", () => {
  assert.deepEqual(periodBefore(period("2026-03-10", "2026-03-20")), { start: "2026-02-28", end: "2026-03-10" });
  assert.deepEqual(periodBefore(period("2026-04-21", "2026-05-21")), { start: "2026-03-21", end: "2026-04-21" });
});

test("lengths are said in the units of the calendar", () => {
  assert.equal(lengthOf({ start: "2000-01-01", end: "2010-12-30" }), "4,016 days");
  const lengths = [["2026-03-01", "2026-04-01", "month"], ["2014-08-01", "2015-08-01", "12 months"], ["2010-01-01", "2020-01-01", "10 years"], ["2026-03-10", "2026-03-20", "10 days"], ["2026-03-10", "2026-03-11", "day"]];
  for (const [start, end, length] of lengths) assert.equal(lengthOf(period(start, end)), length);
  assert.equal(nameOfBefore(period("2026-03-01", "2026-04-01")), "the month before");
  assert.equal(nameOfBefore(period("2026-04-01", "2026-05-21", "2026-01-01")), "the same days of the quarter before");
  assert.equal(nameOfBefore(period("2025-06-01", "2026-05-21", "2024-06-01")), "a year earlier");
  assert.equal(nameOfBefore(presets("2026-05-20")["This month"]), "the same days of the month before");
  assert.equal(nameOfBefore(period("2026-04-01", "2026-05-21", "2026-01-02")), null);
});

test("intervals of which there would be too many or only one are not offered", () => {
  assert.deepEqual(offeredIntervals(period("2014-08-01", "2015-08-01")), ["day", "week", "month", "quarter", "year"].slice(0, 4));
  assert.deepEqual(offeredIntervals(period("2026-03-01", "2026-03-02")), ["day"]);
  assert.deepEqual(offeredIntervals(period("1970-01-01", "2026-01-01")), ["quarter", "year"]);
  assert.deepEqual(offeredIntervals(period("0001-01-01", "9999-01-01")), ["year"]);
});

test("the interval is the shortest that can be read at a glance", () => {
  const defaults = [["2026-03-01", "2026-04-01", "day"], ["2026-01-01", "2026-04-01", "week"], ["2014-08-01", "2015-08-01", "month"], ["2010-01-01", "2016-01-01", "quarter"], ["1970-01-01", "2016-01-01", "year"]];
  for (const [start, end, interval] of defaults) assert.equal(defaultInterval(period(start, end)), interval);
});
