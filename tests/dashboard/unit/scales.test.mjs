import assert from "node:assert/strict";
import { test } from "node:test";

import { next } from "../../../crates/cli/src/page/model/period.js";
import {
  areMostlyFew, dateTicks, fullScale, groupScale, isCutOff, roundBelow, scoreScale, scoresOf,
} from "../../../crates/cli/src/page/model/scales.js";

const scored = (npsLow, npsHigh, responses = 100) => (
  { responses, nps: (npsLow + npsHigh) / 2, npsLow, npsHigh });
const line = (nps, responses) => ({ responses, nps });
const none = { responses: 0, nps: null, npsLow: null, npsHigh: null };

test("the scale is what the bands of enough responses need, up to the next labels", () => {
  assert.deepEqual(scoreScale([scored(10.2, 18), scored(31, 39.5), none]), { min: 10, max: 40, step: 10 });
  assert.deepEqual(scoreScale([scored(-88, -41)]), { min: -90, max: -40, step: 10 });
  assert.deepEqual(scoreScale([scored(-64, 21)]), { min: -80, max: 40, step: 20 });
  assert.deepEqual(scoreScale([scored(-99, 60)]), { min: -100, max: 100, step: 50 });
});

test("the upper tick of the bars is a round number that they reach", () => {
  assert.deepEqual([1, 4, 9, 75, 199, 200, 1_234_567].map(roundBelow), [1, 2, 5, 50, 100, 200, 1_000_000]);
});

test("bands of few responses do not widen the scale, and are cut off where they leave it", () => {
  const [few, enough] = [scored(-60, 70, 29), scored(5, 25, 30)];
  const scale = scoreScale([enough, few, none]);
  assert.deepEqual(scale, { min: 5, max: 25, step: 5 });
  assert.deepEqual(isCutOff(few, scale), { above: true, below: true });
  assert.deepEqual(isCutOff(enough, scale), { above: false, below: false });
  assert.deepEqual(isCutOff(none, scale), { above: false, below: false });
  const high = { responses: 1, nps: 100, npsLow: 6, npsHigh: 20 };
  assert.deepEqual(isCutOff(high, scale), { above: true, below: false });
});

test("where most bands rest on few responses, the scale is the whole one", () => {
  const [few, enough] = [scored(-60, 70, 29), scored(5, 25, 30)];
  assert.deepEqual([[few, none], [enough, few], [none]].map(areMostlyFew), [true, false, false]);
  assert.deepEqual(scoreScale([few, none]), fullScale);
  assert.deepEqual(scoreScale([none]), fullScale);
  assert.deepEqual(scoreScale([enough, few, few]), fullScale);
  assert.notDeepEqual(scoreScale([enough, none, none, few]), fullScale);
});

test("lines without bands widen the scale by their scores, if they rest on enough responses", () => {
  const scale = scoreScale([scored(5, 25)], [[line(43, 30), line(-90, 29), line(null, 0)]]);
  assert.deepEqual(scale, { min: 0, max: 50, step: 10 });
  assert.deepEqual(isCutOff(line(-90, 29), { min: 0, max: 50 }), { above: false, below: true });
  assert.deepEqual(isCutOff(line(20, 29), { min: 0, max: 50 }), { above: false, below: false });
});

test("a line of few responses, such as one of last year, leaves the scale as it is", () => {
  const of = (...lines) => scoreScale([scored(5, 25)], lines);
  assert.deepEqual(of([line(-100, 1)], [line(43, 30), line(-90, 29), line(60, 3)]), { min: 0, max: 50, step: 10 });
  assert.deepEqual(of([line(40, 29), line(1, 2)], [line(null, 0)]), { min: 5, max: 25, step: 5 });
});

test("the scores of a group have no bands that could leave the scale", () => {
  const [point] = scoresOf([scored(-60, 70, 29)]);
  assert.deepEqual(isCutOff(point, { min: 0, max: 10 }), { above: false, below: false });
  assert.deepEqual(isCutOff(point, { min: 10, max: 30 }), { above: false, below: true });
});

test("the scale is never of fewer than 20 points, nor beyond the possible scores", () => {
  assert.deepEqual(scoreScale([scored(49, 51)]), { min: 40, max: 60, step: 5 });
  assert.deepEqual(scoreScale([scored(97, 99)]), { min: 80, max: 100, step: 5 });
  assert.deepEqual(scoreScale([scored(-100, -98)]), { min: -100, max: -80, step: 5 });
  for (let low = -100; low <= 100; low += 0.7) {
    for (const width of [0, 1, 19, 33, 70]) {
      const high = Math.min(100, low + width);
      const { min, max, step } = scoreScale([scored(low, high)]);
      const said = `${low} ${width}: ${min} ${max} ${step}`;
      assert.ok(max - min >= 20 && min >= -100 && max <= 100 && min <= low && max >= high, said);
      assert.ok(min % step === 0 && max % step === 0 && (max - min) / step <= 7, said);
    }
  }
});

test("the scale of groups is what those of enough responses need, to tens, and 20 points at least", () => {
  const few = [scored(-90, 100, 29), none];
  assert.deepEqual(groupScale([scored(12, 27), scored(31, 54), ...few]), { min: 10, max: 60 });
  assert.deepEqual(groupScale([scored(44, 46)]), { min: 30, max: 60 });
  // Their intervals would fill any other.
  assert.deepEqual(groupScale([scored(30, 50, 5), scored(35, 45, 29), none]), fullScale);
  assert.equal(groupScale([none]), null);
});

function intervals(interval, start, length) {
  const points = [];
  for (let at = start; points.length < length; at = next(interval, at)) points.push({ interval, start: at });
  return points;
}

// The labels that are as far from one another as `room` intervals.
const labeled = (points, room) => {
  const fits = (choice) => (
    choice.at.every((index, position, all) => position === 0 || index - all[position - 1] >= room));
  const { at, unit } = dateTicks(points, fits);
  return { unit, starts: at.map((index) => points[index].start) };
};

test("all intervals are labeled where there is room, or those that begin whole quarters or years", () => {
  const points = intervals("month", "2014-08-01", 26);
  assert.equal(labeled(points, 1).starts.length, 26);
  assert.deepEqual(labeled(points, 2).starts.slice(0, 3), ["2014-10-01", "2015-01-01", "2015-04-01"]);
  const halves = ["2015-01-01", "2015-07-01", "2016-01-01", "2016-07-01"];
  assert.deepEqual(labeled(points, 4), { unit: "month", starts: halves });
  assert.deepEqual(labeled(points, 7), { unit: "year", starts: ["2015-01-01", "2016-01-01"] });
  const quarters = labeled(intervals("quarter", "2010-04-01", 30), 3);
  assert.deepEqual(quarters.starts.slice(0, 2), ["2011-01-01", "2012-01-01"]);
  const fifths = [1990, 1995, 2000, 2005, 2010, 2015].map((year) => `${year}-01-01`);
  assert.deepEqual(labeled(intervals("year", "1988-01-01", 30), 4).starts, fifths);
});

test("days are labeled by weeks and months, and weeks by the first of a month", () => {
  const days = intervals("day", "2015-01-15", 60);
  assert.deepEqual(labeled(days, 5).starts.slice(0, 2), ["2015-01-19", "2015-01-26"]);
  assert.deepEqual(labeled(days, 20).starts, ["2015-02-01", "2015-03-01"]);
  assert.deepEqual(labeled(intervals("week", "2015-01-05", 12), 3).starts, ["2015-02-02", "2015-03-02"]);
});

test("a first interval that the period cuts is labeled only where all are", () => {
  const points = [{ interval: "month", start: "2015-01-10" }, ...intervals("month", "2015-02-01", 5)];
  assert.equal(labeled(points, 1).starts[0], "2015-01-10");
  assert.deepEqual(labeled(points, 3).starts, ["2015-04-01"]);
});
