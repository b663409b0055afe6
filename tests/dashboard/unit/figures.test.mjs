import assert from "node:assert/strict";
import { test } from "node:test";

import { answered, changeBetween, distinctGroups, exceededWith, isOutside, mistakeOf, total } from "../../../cli/src/dashboard/page/model/figures.js";

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

test("elements add up to all of them, whose score without a response is no interval's", () => {
  const element = (rating, displays) => ({ responses: 1, displays, dismissed: 1, promoters: 0, passives: 0, detractors: 0, [["detractors", "promoters"][rating / 10]]: 1, frequency: Array.from({ length: 11 }, (_, at) => Number(at === rating)) });
  const sum = total([element(0, 2), element(10, 3), element(10, 4)]);
  assert.deepEqual([sum.responses, sum.displays, sum.dismissed, sum.promoters, sum.passives, sum.detractors], [3, 9, 3, 2, 0, 1]);
  assert.deepEqual(sum.frequency, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
  close(sum.nps, 100 / 3);
  assert.ok(sum.npsLow < sum.nps && sum.nps < sum.npsHigh);
  const { nps, npsLow, npsHigh } = total([{ ...element(0, 1), responses: 0, detractors: 0 }]);
  assert.deepEqual([nps, npsLow, npsHigh], [0, null, null]);
});

test("a change whose interval leaves zero out can be told from chance, in either direction", () => {
  const [low, high] = [figures(100, 100, 300), figures(300, 100, 100)];
  assert.equal(changeBetween(low, high).certain, true);
  assert.equal(changeBetween(high, low).certain, true);
  assert.equal(changeBetween(high, high).certain, false);
  assert.equal(changeBetween(high, high).points, 0);
});

// Computed with Python's statistics.NormalDist.
test("the quantiles of the normal distribution are exact for one pair and for thousands", () => {
  const known = [[0.07, 1.475791028179171], [0.05, 1.6448536269514722], [0.025, 1.9599639845400536], [0.05 / 6, 2.3939797998185104], [0.005, 2.5758293035489004], [0.05 / 90, 3.260767488420533], [0.05 / 9900, 4.414999762883917], [1e-10, 6.361340902404056]];
  for (const [probability, value] of known) close(exceededWith(probability), value);
});

test("a change is judged by the risk that is left for it", () => {
  const [before, now] = [figures(400, 300, 300), figures(440, 300, 260)];
  assert.equal(changeBetween(before, now, 0.05).certain, true);
  assert.equal(changeBetween(before, now, 0.05 / 3).certain, false);
});

test("groups are told apart by all pairs of them, each of which has its part of the risk", () => {
  const [low, high] = [figures(400, 300, 300), figures(440, 300, 260)];
  assert.equal(distinctGroups([low, high]).high, high);
  assert.equal(distinctGroups([high, low]).low, low);
  const between = figures(420, 300, 280);
  assert.equal(distinctGroups([low, between, high]), null);
  assert.equal(distinctGroups([low, low]), null);
});

test("of the pairs that differ, the widest counts, also where the highest score rests on too little", () => {
  const [small, large, worst] = [figures(12, 12, 6), figures(5000, 2500, 2500), figures(2500, 5000, 2500)];
  const { high, low } = distinctGroups([small, worst, large]);
  assert.deepEqual([high, low], [large, worst]);
  const best = figures(6000, 2500, 1500);
  assert.deepEqual(distinctGroups([large, worst, best]), { high: best, low: worst, points: best.nps - worst.nps });
});

test("only a score with its interval can lie outside of it", () => {
  assert.equal(isOutside({ responses: 1, nps: 100, npsLow: -48.5, npsHigh: 98.5 }), true);
  assert.equal(isOutside({ responses: 1, nps: -100, npsLow: -98.5, npsHigh: 48.5 }), true);
  assert.equal(isOutside({ responses: 2, nps: 100, npsLow: -24.4, npsHigh: 100 }), false);
  assert.equal(isOutside({ responses: 0, nps: 0, npsLow: null, npsHigh: null }), false);
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

const ELEMENT = { responses: 1, displays: 2, dismissed: 0, promoters: 1, passives: 0, detractors: 0, nps: 100, npsLow: -1.5, npsHigh: null, frequency: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] };
const INTERVAL = { start: "0001-01-01T00:00:00.000Z", end: "2026-02-01T00:00:00.000+01:00" };
const GROUP = { group: null, other: false };
const answer = (...elements) => ({ data: elements.map((attributes) => ({ attributes })) });
const ASKED = { interval: [["interval", "day"]], group: [["groupBy", "user.traits.string.plan"]], latest: [["respondents", "latest"]], traits: [["describe", "traits"]] };
const TRAIT = { name: "plan", type: "string", displays: 3, private: false };

test("whoever answered again answered", () => {
  assert.equal(answered({ responses: 3 }), 3);
  assert.equal(answered({ responses: 3, superseded: 2 }), 5);
});

test("answers of the API have no mistake", () => {
  assert.equal(mistakeOf(answer(ELEMENT), []), null);
  assert.equal(mistakeOf(answer({ ...INTERVAL, ...ELEMENT }, { ...INTERVAL, ...ELEMENT, nps: null }), ASKED.interval), null);
  for (const group of [null, "", true]) assert.equal(mistakeOf(answer({ ...ELEMENT, ...GROUP, group }), ASKED.group), null);
  assert.equal(mistakeOf(answer(), ASKED.group), null);
  assert.equal(mistakeOf(answer({ ...ELEMENT, superseded: 0 }), ASKED.latest), null);
  for (const type of ["string", "number", "boolean", "other"]) assert.equal(mistakeOf(answer({ ...TRAIT, type }, TRAIT), ASKED.traits), null);
  assert.equal(mistakeOf(answer(), ASKED.traits), null);
});

test("what is not as the API has it is named", () => {
  const wrong = [
    [[], [], "data should be an array."],
    ["text", [], "data should be an array."],
    [{ data: {} }, [], "data should be an array."],
    [answer(), [], "data should have one element."],
    [answer(ELEMENT, ELEMENT), [], "data should have one element."],
    [answer(), ASKED.interval, "data should have an element for each interval."],
    [{ data: [null] }, [], "data[0].attributes.responses should be a count."],
    [{ data: [{}] }, [], "data[0].attributes.responses should be a count."],
    [answer({ ...ELEMENT, displays: -1 }), [], "data[0].attributes.displays should be a count."],
    [answer({ ...ELEMENT, displays: "1" }), [], "data[0].attributes.displays should be a count."],
    [answer({ ...ELEMENT, nps: "100" }), [], "data[0].attributes.nps should be a number or null."],
    [answer({ ...ELEMENT, frequency: [1] }), [], "data[0].attributes.frequency should be eleven counts."],
    [answer(ELEMENT), ASKED.interval, "data[0].attributes.start should be a timestamp."],
    [answer({ ...ELEMENT, ...INTERVAL, end: "soon" }), ASKED.interval, "data[0].attributes.end should be a timestamp."],
    [answer({ ...ELEMENT, ...GROUP }, { ...ELEMENT, other: true }), ASKED.group, "data[1].attributes.group should be a string, a boolean or null."],
    [answer(), ASKED.latest, "data should have one element."],
    [answer(ELEMENT), ASKED.latest, "data[0].attributes.superseded should be a count."],
    [answer({ ...TRAIT, name: 4 }), ASKED.traits, "data[0].attributes.name should be a string."],
    [answer(TRAIT, { ...TRAIT, type: "date" }), ASKED.traits, "data[1].attributes.type should be a type."],
    [answer({ ...TRAIT, displays: -1 }), ASKED.traits, "data[0].attributes.displays should be a count."],
    [answer({ ...TRAIT, private: null }), ASKED.traits, "data[0].attributes.private should be true or false."],
    [answer(ELEMENT), ASKED.traits, "data[0].attributes.name should be a string."],
    [answer({ ...ELEMENT, group: "a" }), ASKED.group, "data[0].attributes.other should be true or false."],
  ];
  for (const [given, parameters, mistake] of wrong) assert.equal(mistakeOf(given, parameters), mistake);
});
