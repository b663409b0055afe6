import assert from "node:assert/strict";
import { test } from "node:test";

import { answered, mistakeOf } from "../../../crates/cli/src/page/model/figures.js";

const ELEMENT = {
  responses: 1, displays: 2, dismissed: 0, promoters: 1, passives: 0, detractors: 0,
  nps: 100, npsLow: -1.5, npsHigh: null, frequency: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
};
const INTERVAL = { start: "0001-01-01T00:00:00.000Z", end: "2026-02-01T00:00:00.000+01:00" };
const GROUP = { group: null, other: false };
const answer = (...elements) => ({ data: elements.map((attributes) => ({ attributes })) });
const ASKED = {
  interval: [["interval", "day"]], group: [["groupBy", "user.traits.string.plan"]],
  latest: [["respondents", "latest"]], compared: [["compare", "previous"]], traits: [["describe", "traits"]],
};
const BEFORE = { ...ELEMENT, ...INTERVAL, since: null };
const CHANGE = { points: 1, low: -2, high: 4, verdict: "few", fromScore: null, fromShare: null };
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
    [answer({ ...ELEMENT, before: BEFORE, change: CHANGE }), ASKED.compared],
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
    [answer({ ...ELEMENT, before: { ...BEFORE, displays: -1 }, change: CHANGE }), ASKED.compared,
      "data[0].attributes.before should be figures of a period."],
    [answer({ ...ELEMENT, before: BEFORE, change: { ...CHANGE, verdict: null } }), ASKED.compared,
      "data[0].attributes.change should be a change."],
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
