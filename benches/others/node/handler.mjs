// Computes the statistics in the usual way with the AWS SDK v3.
//
//     node handler.mjs ADDRESS REQUESTS FILTERS
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, paginateQuery } from "@aws-sdk/lib-dynamodb";

const FILTERED = [["plan", "pro"], ["country", "Finland"], ["browser", "Firefox"]];

async function* shard(client, number, filters) {
  const names = { "#shard": "shard", "#at": "at", "#rating": "rating", "#dismissed": "dismissed" };
  const projection = ["#rating", "#dismissed"];
  filters.forEach(([name], n) => {
    Object.assign(names, { "#traits": "traits", [`#t${n}`]: name });
    projection.push(`#traits.#t${n}`);
  });
  const pages = paginateQuery({ client }, {
    TableName: "responses",
    KeyConditionExpression: "#shard = :shard AND #at BETWEEN :start AND :end",
    ProjectionExpression: projection.join(", "),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ":shard": `acme#${number}`, ":start": "2024-01-01", ":end": "2025-01-01" },
  });
  for await (const page of pages) yield* page.Items;
}

async function statistics(client, filters) {
  let displays = 0, dismissed = 0;
  const frequency = Array(11).fill(0);
  await Promise.all([..."0123456789abcdef"].map(async (number) => {
    for await (const item of shard(client, number, filters)) {
      if (!filters.every(([name, value]) => item.traits?.[name]?.includes(value))) continue;
      displays += 1;
      if (item.rating !== undefined) frequency[item.rating] += 1;
      else if (item.dismissed) dismissed += 1;
    }
  }));
  const sum = (from, to) => frequency.slice(from, to).reduce((total, count) => total + count, 0);
  const responses = sum(0, 11), promoters = sum(9, 11), detractors = sum(0, 7);
  return {
    responses, displays, dismissed, promoters, passives: sum(7, 9), detractors,
    nps: responses ? 100 * (promoters - detractors) / responses : 0, frequency,
  };
}

const [address, requests, filters] = process.argv.slice(2);
const client = DynamoDBDocumentClient.from(new DynamoDBClient({
  endpoint: address, region: "us-east-1", credentials: { accessKeyId: "a", secretAccessKey: "b" },
}));
let last;
const chosen = FILTERED.slice(0, Number(filters));
for (let n = 0; n < Number(requests); n += 1) last = await statistics(client, chosen);
console.log(JSON.stringify(last));
