import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { answered, changeBetween, mistakeOf, total } from "../../../crates/cli/src/page/model/figures.js";

const figures = ({ promoters, passives, detractors }) => {
  const responses = promoters + passives + detractors;
  return { responses, promoters, passives, detractors, nps: (100 * (promoters - detractors)) / responses };
};
function close(value, expected) {
  assert.ok(Math.abs(value - expected) < 1e-9, `${value}, expected ${expected}`);
}

test("the change and its interval are those of the table of cases", () => {
  const cases = JSON.parse(readFileSync(new URL("../../changes.json", import.meta.url)));
  assert.ok(cases.length > 10);
  for (const { before, after, difference, low, high, clear } of cases) {
    const change = changeBetween(figures(before), figures(after));
    close(change.difference, difference);
    close(change.low, low);
    close(change.high, high);
    assert.equal(change.clear, clear);
  }
});

test("elements add up to all of them, whose score without a response is no interval's", () => {
  const element = (rating, displays) => ({
    responses: 1, displays, dismissed: 1,
    promoters: Number(rating === 10), passives: 0, detractors: Number(rating === 0),
    frequency: Array.from({ length: 11 }, (_, at) => Number(at === rating)),
  });
  const sum = total([element(0, 2), element(10, 3), element(10, 4)]);
  const { responses, displays, dismissed, promoters, passives, detractors } = sum;
  assert.deepEqual([responses, displays, dismissed, promoters, passives, detractors], [3, 9, 3, 2, 0, 1]);
  assert.deepEqual(sum.frequency, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
  close(sum.nps, 100 / 3);
  assert.ok(sum.npsLow < sum.nps && sum.nps < sum.npsHigh);
  const { nps, npsLow, npsHigh } = total([{ ...element(0, 1), responses: 0, detractors: 0 }]);
  assert.deepEqual([nps, npsLow, npsHigh], [0, null, null]);
});

const ELEMENT = {
  responses: 1, displays: 2, dismissed: 0, promoters: 1, passives: 0, detractors: 0,
  nps: 100, npsLow: -1.5, npsHigh: null, frequency: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
};
const INTERVAL = { start: "0001-01-01T00:00:00.000Z", end: "2026-02-01T00:00:00.000+01:00" };
const GROUP = { group: null, other: false };
const answer = (...elements) => ({ data: elements.map((attributes) => ({ attributes })) });
const ASKED = {
  interval: [["interval", "day"]], group: [["groupBy", "user.traits.string.plan"]],
  latest: [["respondents", "latest"]], traits: [["describe", "traits"]],
};
const TYPES = ["string", "number", "boolean", "other"];
const TRAIT = { name: "plan", type: "string", displays: 3, private: false };

test("whoever answered again answered", () => {
  assert.equal(answered({ responses: 3 }), 3);
  assert.equal(answered({ responses: 3, superseded: 2 }), 5);
});

test("answers of the API have no mistake", () => {
  const right = [
    [answer(ELEMENT), []],
    [answer({ ...INTERVAL, ...ELEMENT }, { ...INTERVAL, ...ELEMENT, nps: null }), ASKED.interval],
    ...[null, "", true].map((group) => [answer({ ...ELEMENT, ...GROUP, group }), ASKED.group]),
    [answer(), ASKED.group],
    [answer({ ...ELEMENT, superseded: 0 }), ASKED.latest],
    ...TYPES.map((type) => [answer({ ...TRAIT, type }, TRAIT), ASKED.traits]),
    [answer(), ASKED.traits],
  ];
  for (const [given, parameters] of right) assert.equal(mistakeOf(given, parameters), null);
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
    [answer({ ...ELEMENT, ...INTERVAL, end: "soon" }), ASKED.interval,
      "data[0].attributes.end should be a timestamp."],
    [answer({ ...ELEMENT, ...GROUP }, { ...ELEMENT, other: true }), ASKED.group,
      "data[1].attributes.group should be a string, a boolean or null."],
    [answer(), ASKED.latest, "data should have one element."],
    [answer(ELEMENT), ASKED.latest, "data[0].attributes.superseded should be a count."],
    [answer({ ...TRAIT, name: 4 }), ASKED.traits, "data[0].attributes.name should be a string."],
    [answer(TRAIT, { ...TRAIT, type: "date" }), ASKED.traits, "data[1].attributes.type should be a type."],
    [answer({ ...TRAIT, displays: -1 }), ASKED.traits, "data[0].attributes.displays should be a count."],
    [answer({ ...TRAIT, private: null }), ASKED.traits,
      "data[0].attributes.private should be true or false."],
    [answer(ELEMENT), ASKED.traits, "data[0].attributes.name should be a string."],
    [answer({ ...ELEMENT, group: "a" }), ASKED.group, "data[0].attributes.other should be true or false."],
  ];
  for (const [given, parameters, mistake] of wrong) assert.equal(mistakeOf(given, parameters), mistake);
});
