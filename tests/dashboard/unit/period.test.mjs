import assert from "node:assert/strict";
import { test } from "node:test";

import { addDays, daysBetween, defaultInterval, lengthOf, nameOfBefore, next, offeredIntervals, periodBefore, PRESETS, startOf, yearEarlier } from "../../../cli/src/dashboard/page/model/period.js";

const period = (start, end, before) => ({ start, end, before });

function presets(today) {
  return Object.fromEntries(PRESETS.map(({ label, period }) => [label, period(today)]));
}

test("presets begin with the calendar and end today, and quarters where quarters do", () => {
  const end = "2026-05-21";
  assert.deepEqual(presets("2026-05-20"), {
    "Last 30 days": { start: "2026-04-21", end },
    "Last 13 weeks": { start: "2026-02-23", end, before: "2025-11-24" },
    "Last 12 months": { start: "2025-06-01", end, before: "2024-06-01" },
    "This quarter": { start: "2026-04-01", end, before: "2026-01-01" },
    "Last quarter": { start: "2026-01-01", end: "2026-04-01" },
  });
});

test("the last 12 months and 13 weeks have only whole intervals, but for the one that runs", () => {
  for (let today = "2024-01-01"; today < "2025-01-01"; today = addDays(today, 1)) {
    for (const weekStart of ["monday", "sunday"]) {
      for (const { label, interval, period } of PRESETS.filter((one) => one.interval)) {
        const { start, end, before } = period(today, weekStart);
        assert.equal(startOf(interval, start, weekStart), start, label);
        assert.equal(end, addDays(today, 1));
        let count = 0;
        for (let at = start; at < end; at = next(interval, at)) count += 1;
        assert.equal(count, Number(/\d+/.exec(label)[0]), `${label} ${today}`);
        // A period that is complete is compared with the whole one before.
        const isComplete = startOf(interval, end, weekStart) === end;
        assert.equal(before === undefined, isComplete || interval === "day", `${label} ${today}`);
      }
    }
  }
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

test("a running quarter is compared with as many days of the last, which never overlap it", () => {
  assert.deepEqual(periodBefore(presets("2026-05-20")["This quarter"]), { start: "2026-01-01", end: "2026-02-20" });
  for (let today = "2024-01-01"; today < "2026-01-01"; today = addDays(today, 1)) {
    const quarter = presets(today)["This quarter"];
    const before = periodBefore(quarter);
    assert.ok(before.end <= quarter.start, today);
    const whole = quarter.before === undefined;
    assert.ok(whole || daysBetween(before.start, before.end) === Math.min(daysBetween(quarter.start, quarter.end), daysBetween(before.start, quarter.start)), today);
  }
});

test("a quarter that is complete is compared with the whole quarter before", () => {
  const quarter = presets("2026-06-30")["This quarter"];
  assert.deepEqual(quarter, { start: "2026-04-01", end: "2026-07-01" });
  assert.deepEqual(periodBefore(quarter), { start: "2026-01-01", end: "2026-04-01" });
});

test("lengths are said in the units of the calendar", () => {
  assert.equal(lengthOf({ start: "2000-01-01", end: "2010-12-30" }), "4,016 days");
  const lengths = [["2026-03-01", "2026-04-01", "month"], ["2014-08-01", "2015-08-01", "12 months"], ["2010-01-01", "2020-01-01", "10 years"], ["2026-03-10", "2026-03-20", "10 days"], ["2026-03-10", "2026-03-11", "day"]];
  for (const [start, end, length] of lengths) assert.equal(lengthOf(period(start, end)), length);
  assert.equal(nameOfBefore(period("2026-03-01", "2026-04-01")), "the month before");
  assert.equal(nameOfBefore(period("2026-04-01", "2026-05-21", "2026-01-01")), "the same days of the quarter before");
  assert.equal(nameOfBefore(period("2025-06-01", "2026-05-21", "2024-06-01")), "the same days a year earlier");
  assert.equal(nameOfBefore(presets("2026-05-20")["Last 13 weeks"]), "the same days of the 13 weeks before");
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
