import assert from "node:assert/strict";
import { test } from "node:test";

import { answered, mistakeOf } from "../../../crates/cli/src/page/model/figures.js";

const ELEMENT = {
  responses: 1, displays: 2, dismissed: 0, promoters: 1, passives: 0, detractors: 0,
  nps: 100, npsLow: -1.5, npsHigh: null, frequency: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
};
const INTERVAL = { start: "0001-01-01T00:00:00.000Z", end: "2026-02-01T00:00:00.000+01:00" };
const TRAIT = { name: "plan", type: "string", displays: 3, private: false };
const answer = (...elements) => ({ data: elements.map((attributes) => ({ attributes })) });

test("whoever answered again answered", () => {
  assert.equal(answered({ responses: 3 }), 3);
  assert.equal(answered({ responses: 3, superseded: 2 }), 5);
});

test("an answer has all that its parameters ask for, or is said to lack it", () => {
  const group = { ...ELEMENT, group: null, other: false };
  const right = [
    [answer(ELEMENT)],
    [answer({ ...INTERVAL, ...ELEMENT, nps: null }), "interval"],
    [answer(group), "groupBy"],
    [answer(), "groupBy"],
    [answer({ ...group, superseded: 0 }), "groupBy", "respondents"],
    [answer({ ...ELEMENT, before: {}, change: {} }), "compare"],
    [answer(TRAIT), "describe"],
    [answer(), "describe"],
  ];
  const mistake = (given, names) => mistakeOf(given, names.map((name) => [name, ""]));
  for (const [given, ...names] of right) assert.equal(mistake(given, names), null);
  for (const given of [[], "text", 7, { data: {} }]) assert.equal(mistake(given, []), "data should be an array.");
  for (const names of [[], ["interval"], ["respondents"]]) {
    assert.equal(mistake(answer(), names), "data should have an element.");
  }
  for (const element of [null, {}, { attributes: ELEMENT }]) {
    assert.equal(mistake({ data: [{ attributes: group }, element] }, ["groupBy"]), "The figures lack group.");
  }
  const { npsLow, ...older } = ELEMENT;
  assert.equal(mistake(answer(older), ["confidence"]), "The figures lack npsLow.", npsLow);
});
