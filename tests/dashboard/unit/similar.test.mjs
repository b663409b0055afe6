import assert from "node:assert/strict";
import { test } from "node:test";

import { similar } from "../../../cli/src/dashboard/page/model/similar.js";

test("names that are like a mistyped one are found, the most similar first", () => {
  const zones = ["UTC", "Europe/Prague", "Europe/Paris", "America/New_York", "Asia/Tokyo", "Australia/Perth"];
  assert.deepEqual(similar("Europe/Pargue", zones).slice(0, 1), ["Europe/Prague"]);
  for (const text of ["Prague", "prague", "Pargue", "Europa/Prague"]) assert.equal(similar(text, zones)[0], "Europe/Prague", text);
  assert.equal(similar("New York", zones)[0], "America/New_York");
  assert.deepEqual(similar("Mars/Olympus", zones), []);
  const traits = ["plan", "country", "Cabin", "legroom"];
  assert.deepEqual([similar("cabins", traits), similar("contry", traits), similar("nosuch", traits)], [["Cabin"], ["country"], []]);
});

test("an empty text is like nothing, and few of many names are given", () => {
  assert.deepEqual(similar("", ["a", "b"]), []);
  assert.equal(similar("trait", Array.from({ length: 9 }, (_, at) => `trait${at}`)).length, 5);
});
