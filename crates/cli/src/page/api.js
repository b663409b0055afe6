// Requests to the API, below the address that the page came from, and the Read Keys that they carry.

import { mistakeOf } from "./model/figures.js";

const PATH = "api/v2/response-statistics";

// What went wrong: an error of the API (`code`, `parameter` and `id` of its first error, all its `details`),
// `unreachable`, `too_long` if the server refuses a head of this length, or `unexpected` for other answers.
export class Failure extends Error {
  constructor(code, { details = [], parameter, id, status } = {}) {
    super(code);
    Object.assign(this, { code, details, parameter, id, status });
  }
}

// The server's clock, as of its last answer.
export let serverTime;

// Requests the statistics with these parameters; returns the attributes of the elements, and as `skipped` how
// many records of the period could not be read.
export async function statistics(parameters, { key, signal }) {
  const headers = key ? { AuthKey: key } : {};
  const [document, answer] = await get(`${PATH}?${new URLSearchParams(parameters)}`, { headers, signal });
  const mistake = mistakeOf(document, parameters);
  if (mistake) throw new Failure("unexpected", { status: 200, details: [mistake] });
  const skipped = Number(answer.get("x-skipped-records")) || 0;
  return Object.assign(document.data.map(({ attributes }) => attributes), { skipped });
}

// Returns what the server suggests, which the browser preloads with these options.
export async function settings() {
  const [document] = await get("dashboard/settings.json", { mode: "cors", credentials: "same-origin" });
  return document;
}

const STRICT = {
  mode: "same-origin", credentials: "omit", redirect: "error", cache: "no-store",
  referrerPolicy: "no-referrer",
};

const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
const START = isHere ? ["On this machine, start feedback serve again."] : [];
const SILENCE = [`Nothing answers at ${location.origin}.`, ...START];

// Returns the document of a response, and its headers.
async function get(url, options) {
  let response;
  let body;
  try {
    response = await fetch(url, { ...STRICT, ...options });
    body = await response.text();
  } catch (error) {
    throw error.name === "AbortError" ? error : new Failure("unreachable", { details: SILENCE });
  }
  const date = new Date(response.headers.get("date") ?? NaN);
  serverTime = Number.isNaN(date.getTime()) ? (serverTime ?? new Date()) : date;
  const document = parse(body);
  if (response.ok && document) return [document, response.headers];
  if (response.status === 414 || response.status === 431) throw new Failure("too_long");
  const isError = (error) => typeof error?.code === "string" && typeof error.detail === "string";
  const errors = Array.isArray(document?.errors) ? document.errors.filter(isError) : [];
  if (errors.length === 0) throw new Failure("unexpected", { status: response.status });
  const [{ code, source, id }] = errors;
  const details = errors.map(({ detail }) => detail);
  throw new Failure(code, { details, parameter: source?.parameter, id });
}

function parse(body) {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

const memory = new Map();
const name = (project) => `feedback.read-key.${project}`;

// Returns the key that was typed for a project.
export const keyOf = (project) => memory.get(project) ?? sessionStorage.getItem(name(project)) ?? undefined;

export function holdKey(project, key, keep) {
  forgetKey(project);
  memory.set(project, key);
  if (keep) sessionStorage.setItem(name(project), key);
}

export function forgetKey(project) {
  memory.delete(project);
  sessionStorage.removeItem(name(project));
}

// Returns whether a header can carry a key.
export const isKey = (text) => /^[\x21-\x7e]+$/.test(text);

// Takes the key of a project out of the address, where no history keeps it.
export function takeKey() {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (key === null) return;
  history.replaceState(history.state, "", `${location.pathname}${location.search}`);
  const project = new URLSearchParams(location.search).get("project");
  if (project && isKey(key)) holdKey(project, key, true);
}
