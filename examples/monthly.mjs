#!/usr/bin/env node
// Prints the NPS and the responses of each month: examples/monthly.mjs START [END], such as 2025-01-01.
// Needs FEEDBACK_PROJECT, FEEDBACK_READ_KEY, and FEEDBACK_URL unless `feedback serve` runs here.
import { argv, env, exit } from "node:process";

const fail = (reason) => { console.error(reason); exit(1); };
const [startDate, endDate] = argv.slice(2);
if (!startDate) fail("usage: monthly.mjs START [END]");
const query = new URLSearchParams({ project: env.FEEDBACK_PROJECT, interval: "month", startDate });
if (endDate) query.set("endDate", endDate);
const url = `${env.FEEDBACK_URL ?? "http://127.0.0.1:3000"}/api/v2/response-statistics?${query}`;
const headers = { AuthKey: env.FEEDBACK_READ_KEY };
const response = await fetch(url, { headers, signal: AbortSignal.timeout(60_000) });
const answer = await response.text();
if (!response.ok) fail(answer);
for (const { attributes: { start, nps, responses } } of JSON.parse(answer).data) {
  const score = nps?.toFixed(1) ?? "-"; // a month without responses has no score
  console.log(`${start.slice(0, 7)} ${score.padStart(6)} ${String(responses).padStart(5)}`);
}
