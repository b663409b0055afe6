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
  for (const data of [[null], [{}]]) assert.equal(mistake({ data }, []), "data[0].attributes.responses is missing.");
  for (const [given, ...names] of right.filter(([{ data }]) => data.length > 0)) {
    for (const name of Object.keys(given.data[0].attributes)) {
      const { [name]: left, ...others } = given.data[0].attributes;
      const lacking = answer(given.data[0].attributes, others);
      assert.equal(mistake(lacking, names), `data[1].attributes.${name} is missing.`, left);
    }
  }
});
