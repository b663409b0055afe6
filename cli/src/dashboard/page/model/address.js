// The address of the page: everything that it shows, except the key.

import { isDate } from "./calendar.js";
import { formatFilter, MAX_FILTERS, parseFilter, withFilter } from "./filters.js";
import { INTERVALS } from "./period.js";

const oneOf = (values) => (text) => values.includes(text);

// The parameters that occur once, and what each may be.
const PARAMETERS = {
  project: (text) => /^[A-Za-z0-9_-]{1,64}$/.test(text),
  start: isDate,
  end: isDate,
  before: isDate,
  interval: oneOf(INTERVALS),
  weekStart: oneOf(["monday", "sunday"]),
  timezone: (text) => text !== "",
  group: (text) => text !== "",
  groupType: oneOf(["string", "boolean"]),
  groupLimit: (text) => /^([1-9]\d?|100)$/.test(text),
};

// Reads an address. Returns what it says, and the parts that mean nothing: ignoring a mistyped filter
// without a word would show wrong figures.
export function parseAddress(search) {
  const said = { filters: [] };
  const problems = [];
  for (const [name, value] of new URLSearchParams(search)) {
    const filter = name === "filter" ? parseFilter(value) : null;
    if (filter) said.filters = withFilter(said.filters, filter);
    else if (Object.hasOwn(PARAMETERS, name) && !(name in said) && PARAMETERS[name](value)) said[name] = value;
    else problems.push(`${name}=${value}`);
  }
  const { start, end, before } = said;
  if (!start !== !end || (start && start >= end)) {
    problems.push(`start=${start ?? ""}, end=${end ?? ""}`);
    delete said.start;
    delete said.end;
  }
  if (before && !(said.start && before < said.start)) delete said.before;
  if (said.filters.length > MAX_FILTERS) problems.push(`more than ${MAX_FILTERS} filters`);
  said.filters = said.filters.slice(0, MAX_FILTERS);
  return { said, problems };
}

// Writes the address of a question.
export function formatAddress(question) {
  const once = Object.keys(PARAMETERS).filter((name) => question[name]).map((name) => [name, question[name]]);
  const filters = question.filters.map((filter) => ["filter", formatFilter(filter)]);
  return `?${[...once, ...filters].map(([name, value]) => `${name}=${encoded(value)}`).join("&")}`;
}

// What a query may hold as it is stays readable.
function encoded(value) {
  return encodeURIComponent(value).replace(/%(2F|3A|3D|2C)/g, (code) => decodeURIComponent(code));
}
