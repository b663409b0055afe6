// Requests to the API, below the address that the page came from, and the Read Keys that they carry.

const PATH = "api/v2/response-statistics";

// What went wrong: an error of the API (`code`, `title`, `parameter` and `id` of its first error, and
// the `details` of all), `unreachable`, or `unexpected` for other answers.
export class Failure extends Error {
  constructor(code, { details = [], ...more } = {}) {
    super(code);
    Object.assign(this, { code, details, ...more });
  }
}

// The server's clock, as of its last answer.
export let serverTime;

function ask(parameters, { key, signal }) {
  const headers = key ? { AuthKey: key } : {};
  return get(`${PATH}?${new URLSearchParams(parameters)}`, { headers, signal });
}

// Requests the statistics with these parameters; returns the attributes of the elements, as `skipped` how many
// records of the period could not be read, and as `summary` what the API says of a comparison.
export async function statistics(parameters, access) {
  const [document, answer] = await ask(parameters, access);
  const { data, meta } = document;
  // An API that is not this one, such as an older one, may ignore what is asked for.
  const isAnswered = (one) => one?.attributes?.npsLow !== undefined || one?.attributes?.private !== undefined;
  if (!Array.isArray(data) || !data.every(isAnswered)) throw new Failure("unexpected", { status: 200 });
  const skipped = Number(answer.get("x-skipped-records")) || 0;
  return Object.assign(data.map(({ attributes }) => attributes), { skipped, summary: meta?.summary });
}

// Requests the same as a table; returns its text.
export async function table(parameters, access) {
  const [text, answer] = await ask([...parameters, ["format", "csv"]], access);
  if (!isTable(answer)) throw new Failure("unexpected", { status: 200 });
  return text;
}

const isTable = (headers) => headers.get("content-type")?.startsWith("text/csv");

// Returns what the server suggests, which the browser preloads with these options.
export const settings = async () => (
  (await get("dashboard/settings.json", { mode: "cors", credentials: "same-origin" }))[0]);

const STRICT = {
  mode: "same-origin", credentials: "omit", redirect: "error", cache: "no-store",
  referrerPolicy: "no-referrer",
};

// Returns the document of a response, or the text of a table, and the headers.
async function get(url, options) {
  const silence = `Nothing answers at ${location.origin}: is feedback serve running there?`;
  const failed = (error) => {
    throw error.name === "AbortError" ? error : new Failure("unreachable", { details: [silence] });
  };
  const response = await fetch(url, { ...STRICT, ...options }).catch(failed);
  // What is no JSON is no document.
  const unread = (error) => (error.name === "SyntaxError" ? null : failed(error));
  const { headers } = response;
  const document = await (isTable(headers) ? response.text() : response.json()).catch(unread);
  const date = new Date(headers.get("date") ?? NaN);
  serverTime = Number.isNaN(date.getTime()) ? (serverTime ?? new Date()) : date;
  if (response.ok && document) return [document, headers];
  const { status } = response;
  const isError = (error) => typeof error?.code === "string" && typeof error.detail === "string";
  const errors = Array.isArray(document?.errors) ? document.errors.filter(isError) : [];
  if (errors.length === 0) throw new Failure("unexpected", { status });
  const [{ code, title, source, id }] = errors;
  const details = errors.map(({ detail }) => detail);
  throw new Failure(code, { status, title, details, parameter: source?.parameter, id });
}

const name = (project) => `feedback.read-key.${project}`;

// Returns the key that was typed for a project, which the tab keeps.
export const keyOf = (project) => sessionStorage.getItem(name(project)) ?? undefined;
export const holdKey = (project, key) => sessionStorage.setItem(name(project), key);
export const forgetKey = (project) => sessionStorage.removeItem(name(project));

// Takes the key of a project out of the address, where no history keeps it.
export function takeKey() {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (key === null) return;
  history.replaceState(history.state, "", `${location.pathname}${location.search}`);
  const project = new URLSearchParams(location.search).get("project");
  // A header can carry no other key.
  if (project && /^[!-~]+$/.test(key)) holdKey(project, key);
}
