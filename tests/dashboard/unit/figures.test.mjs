import assert from "node:assert/strict";
import { test } from "node:test";

import { changeBetween } from "../../../cli/src/dashboard/page/model/figures.js";

const figures = (promoters, passives, detractors) => {
  const responses = promoters + passives + detractors;
  return { responses, promoters, passives, detractors, nps: (100 * (promoters - detractors)) / responses };
};
const close = (value, expected) => assert.ok(Math.abs(value - expected) < 1e-9, `${value}, expected ${expected}`);

// Computed with Python's decimal module at 50 digits.
test("the change and its interval are those of the formula", () => {
  const change = changeBetween(figures(27, 40, 175), figures(55, 72, 255));
  close(change.points, 8.801003850980052);
  close(change.low, -2.80142349695553);
  close(change.high, 19.72164613146388);
  assert.equal(change.certain, false);
});

test("a change whose interval leaves zero out can be told from chance, in either direction", () => {
  const [low, high] = [figures(100, 100, 300), figures(300, 100, 100)];
  assert.equal(changeBetween(low, high).certain, true);
  assert.equal(changeBetween(high, low).certain, true);
  assert.equal(changeBetween(high, high).certain, false);
  assert.equal(changeBetween(high, high).points, 0);
});

test("one response each proves nothing", () => {
  const change = changeBetween(figures(0, 0, 1), figures(1, 0, 0));
  assert.equal(change.points, 200);
  assert.equal(change.certain, false);
});

test("two intervals that overlap can still differ", () => {
  const [first, second] = [figures(400, 300, 300), figures(445, 300, 255)];
  const change = changeBetween(first, second);
  assert.equal(change.certain, true);
  assert.ok(change.low > 0);
});
