import assert from "node:assert/strict";
import { test } from "node:test";

import { addDays, addMonths, daysBetween, isDate, next, startOf } from "../../../crates/cli/src/page/model/period.js";

test("dates are those of the calendar, from the year 1000 to 9999", () => {
  for (const date of ["2024-02-29", "1000-01-01", "9999-12-31"]) assert.ok(isDate(date), date);
  const others = [
    "2023-02-29", "2024-13-01", "2024-04-31", "2024-4-1", "0999-12-31", "2024-01-01T00:00", "", "tomorrow",
  ];
  for (const text of others) assert.ok(!isDate(text), text);
});

test("days are added over months, leap days and centuries", () => {
  const sums = [
    ["2024-02-28", 1, "2024-02-29"], ["2023-12-31", 1, "2024-01-01"], ["2024-03-01", -1, "2024-02-29"],
  ];
  for (const [date, days, sum] of sums) assert.equal(addDays(date, days), sum);
});

test("months are added on the same day, or on the last of a shorter month", () => {
  const sums = [
    ["2024-01-31", 1, "2024-02-29"], ["2023-01-31", 1, "2023-02-28"], ["2024-01-15", -1, "2023-12-15"],
    ["2024-02-29", 12, "2025-02-28"],
  ];
  for (const [date, months, sum] of sums) assert.equal(addMonths(date, months), sum);
});

test("days between two dates do not depend on clocks", () => {
  assert.equal(daysBetween("2024-01-01", "2025-01-01"), 366);
  assert.equal(daysBetween("2026-03-01", "2026-04-01"), 31);
});

test("intervals begin where the API says that they do", () => {
  const starts = {
    day: "2026-05-20", week: "2026-05-18", month: "2026-05-01", quarter: "2026-04-01", year: "2026-01-01",
  };
  for (const interval of Object.keys(starts)) assert.equal(startOf(interval, "2026-05-20"), starts[interval]);
  assert.equal(startOf("week", "2026-05-18"), "2026-05-18");
  assert.equal(startOf("week", "2026-05-20", "sunday"), "2026-05-17");
});

test("the next interval follows on the last day of the one before", () => {
  const following = {
    day: "2026-01-02", week: "2026-01-08", month: "2026-02-01", quarter: "2026-04-01", year: "2027-01-01",
  };
  for (const [interval, date] of Object.entries(following)) assert.equal(next(interval, "2026-01-01"), date);
});
