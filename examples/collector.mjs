#!/usr/bin/env node
// Writes events of surveys, one JSON object a line in the order in which they happened, into DynamoDB or a
// running `feedback serve`: examples/collector.mjs PROJECT < EVENTS. Needs @aws-sdk/client-dynamodb and
// @aws-sdk/lib-dynamodb. A display comes first, then its rating or dismissal, which repeats `id` and `created`.
// Writing an event again changes nothing. `user` is the person as known at `created`, with all traits
// (docs/item-format.md).
import { createHash } from "node:crypto";
import { argv, env, stdin } from "node:process";
import { createInterface } from "node:readline";
import { ConditionalCheckFailedException, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";

const store = DynamoDBDocumentClient.from(new DynamoDBClient());
const [project, { RESPONSES_TABLE: responses = "responses", USERS_TABLE: users = "users" }] = [argv[2], env];
const instant = (text) => new Date(text).toISOString();

async function update(TableName, Key, facts, options = {}) {
  const known = Object.entries(facts).filter(([, value]) => value != null);
  const value = (name) => (name === "created" ? `if_not_exists(#${name}, :${name})` : `:${name}`);
  await store.send(new UpdateCommand({ TableName, Key, ...options, ...(known.length && {
    UpdateExpression: `SET ${known.map(([name]) => `#${name} = ${value(name)}`).join(", ")}`,
    ExpressionAttributeNames: Object.fromEntries(known.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(known.map(([name, fact]) => [`:${name}`, fact])),
  }) }));
}

for await (const line of createInterface({ input: stdin })) {
  const { id, created, rating, dismissed, user } = JSON.parse(line);
  const { userId, email, name, traits, createdAt, id: userRecord } = user ?? {};
  const [at, hash] = [instant(created), createHash("sha256").update(id).digest("hex")];
  const display = { shard: `${project}#${hash[0]}`, at: `${at}#${id}` };
  await update(responses, display, { rating, dismissed, userId, traits });
  if (!userId) continue;
  const since = createdAt && instant(createdAt) < at ? instant(createdAt) : at;
  const facts = { id: userRecord, email, name, traits, lastSeen: at, created: since };
  const latest = { ConditionExpression: "attribute_not_exists(lastSeen) OR lastSeen <= :lastSeen" };
  await update(users, { project, userId }, facts, latest)
    // Refused if the stored facts are of a later event, which stay.
    .catch((error) => { if (!(error instanceof ConditionalCheckFailedException)) throw error; });
}
