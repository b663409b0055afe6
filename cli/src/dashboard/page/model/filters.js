// Filters on traits: `{ name, type, operator, value }`, all text; written `NAME=OPERATOR:VALUE` as on the
// command line, with the type before the operator unless it is a string (`legroom=number.gte:4`).

// The operators of each type, and how they read.
export const OPERATORS = {
  string: { eq: "is", ne: "is not", contains: "contains", ncontains: "does not contain" },
  number: { eq: "is", ne: "is not", gt: "is more than", gte: "is at least", lt: "is less than", lte: "is at most" },
  boolean: { eq: "is", ne: "is not" },
};

// The types, and how they read.
export const TYPES = { string: "text", number: "number", boolean: "yes or no" };

// How many filters the API takes.
export const MAX_FILTERS = 20;

// Parses a filter; returns null if it is not one.
export function parseFilter(text) {
  const [, name, typed, value] = /^([^=]+)=([^:]+):(.*)$/s.exec(text) ?? [];
  const [type, operator] = typed?.includes(".") ? typed.split(/\.(.*)/s) : ["string", typed];
  const known = Object.hasOwn(OPERATORS, type) && Object.hasOwn(OPERATORS[type], operator);
  return known ? { name, type, operator, value } : null;
}

export function formatFilter({ name, type, operator, value }) {
  return `${name}=${type === "string" ? "" : `${type}.`}${operator}:${value}`;
}

// Returns the operator and the value in words.
export function predicate({ type, operator, value }) {
  return `${OPERATORS[type][operator]} ${type === "boolean" ? yesOrNo(value === "true") : value || "empty"}`;
}

export function yesOrNo(value) {
  return value ? "yes" : "no";
}

// Returns the API's two parameters of a filter.
export function filterParameters({ name, type, operator, value }) {
  const key = `filters[user.traits.${type}.${name}]`;
  return [[`${key}[operator]`, operator], [`${key}[value]`, value]];
}

// Adds a filter in the place of one on the same trait and type, of which the API takes one.
export function withFilter(filters, filter) {
  const same = filters.findIndex(({ name, type }) => name === filter.name && type === filter.type);
  return same < 0 ? [...filters, filter] : filters.with(same, filter);
}
