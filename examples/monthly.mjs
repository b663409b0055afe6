#!/usr/bin/env node
// Prints the NPS and the responses of each month: examples/monthly.mjs START [END], such as 2025-01-01.
// Needs FEEDBACK_PROJECT, FEEDBACK_READ_KEY, and FEEDBACK_URL unless `feedback serve` runs here.
import { argv, env, exit } from "node:process";

const fail = (reason) => { console.error(reason); exit(1); };
const [startDate, endDate] = argv.slice(2);
const { FEEDBACK_PROJECT: project, FEEDBACK_READ_KEY: key, FEEDBACK_URL: url } = env;
const usage = "usage: monthly.mjs START [END], with FEEDBACK_PROJECT and FEEDBACK_READ_KEY";
if (!startDate || !project || !key) fail(usage);
const query = new URLSearchParams({ project, interval: "month", startDate, ...(endDate && { endDate }) });
const api = `${(url || "http://127.0.0.1:3000").replace(/\/$/, "")}/api/v2/response-statistics`;
const options = { headers: { AuthKey: key }, signal: AbortSignal.timeout(60_000) };
const response = await fetch(`${api}?${query}`, options)
  .catch((error) => fail(String(error.cause ?? error)));
const answer = await response.text();
if (!response.ok) fail(answer);
for (const { attributes: { start, nps, responses } } of JSON.parse(answer).data) {
  const score = nps?.toFixed(1) ?? "-"; // a month without responses has no score
  console.log(`${start.slice(0, 7)} ${score.padStart(6)} ${String(responses).padStart(5)}`);
}
