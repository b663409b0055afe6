import assert from "node:assert/strict";
import { test } from "node:test";

import { fileName } from "../../../crates/cli/src/page/model/csv.js";
import { parseFilter } from "../../../crates/cli/src/page/model/question.js";

const named = (...filters) => (
  fileName({ project: "acme-1", start: "2026-01-01", filters: filters.map(parseFilter) }));

test("a table's name says its filters", () => {
  assert.equal(named(), "feedback-acme-1-2026-01-01.csv");
  assert.equal(named("plan=eq:free", "seats=number.gte:10"), "feedback-acme-1-2026-01-01-plan-eq-free-seats-gte-10.csv");
  assert.equal(named("země=in:Česko,日本"), "feedback-acme-1-2026-01-01-země-in-Česko-日本.csv");
});

test("a table's name is one that every file system takes, whatever the filters say", () => {
  const name = named("../a\\b=eq:<c>:*?\"|\0\n/etc/passwd", `long=eq:${"𐐀".repeat(200)}`);
  assert.match(name, /^feedback-acme-1-2026-01-01-\.\.-a-b-eq-c-etc-passwd-long-eq-(𐐀)+\.csv$/u);
  assert.ok([...name].length <= 100 && name.isWellFormed?.() !== false);
});
