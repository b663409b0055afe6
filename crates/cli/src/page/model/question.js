// The question that the page asks, all of it text: its filters on traits, its address, and its parameters.

import {
  addDays, defaultInterval, fitsYear, INTERVALS, isDate, namedPeriod, offeredIntervals,
} from "./period.js";

// The operators of each type, and how they read.
export const OPERATORS = {
  string: {
    eq: "is", ne: "is not", contains: "contains", ncontains: "does not contain",
    in: "is one of", nin: "is none of",
  },
  number: {
    eq: "is", ne: "is not", gt: "is more than", gte: "is at least", lt: "is less than", lte: "is at most",
  },
  boolean: { eq: "is", ne: "is not" },
};

// The types, and how they read.
export const TYPES = { string: "text", number: "number", boolean: "yes or no" };

// How many days an interval of the trend can count, instead of its own.
export const WINDOWS = ["30", "90", "365"];

// How many filters the API takes.
export const MAX_FILTERS = 20;

// How many groups are lines of the trend at most: as many as have colors that everybody can tell apart.
export const MAX_LINES = 5;

const bytes = (text) => new TextEncoder().encode(text).length;

// What the API takes for a decimal number.
export const NUMBER = "[+\\-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+\\-]?[0-9]+)?";

// Whether a text is a value of a type.
const VALUES = {
  string: (text) => bytes(text) <= 1024,
  number: (text) => new RegExp(`^${NUMBER}$`).test(text),
  boolean: (text) => text === "true" || text === "false",
};

// How many values a filter lists at most, separated by commas.
export const MAX_LISTED = 100;

// Returns whether an operator compares with several values.
export const isList = (operator) => operator === "in" || operator === "nin";

// Parses a filter; returns null if it is not one that the API takes.
export function parseFilter(text) {
  const [, name, typed, value] = /^([^=]+)=([^:]+):(.*)$/s.exec(text) ?? [];
  const [type, operator] = typed?.includes(".") ? typed.split(/\.(.*)/s) : ["string", typed];
  const known = Object.hasOwn(OPERATORS, type) && Object.hasOwn(OPERATORS[type], operator);
  const values = isList(operator) ? (value ?? "").split(",") : [value];
  const fits = known && bytes(name) <= 255 && values.length <= MAX_LISTED && values.every(VALUES[type]);
  return fits ? { name, type, operator, value } : null;
}

export const formatFilter = ({ name, type, operator, value }) => (
  `${name}=${type === "string" ? "" : `${type}.`}${operator}:${value}`);

// Returns the operator and the value in words.
export function predicate({ type, operator, value }) {
  const said = isList(operator) ? value.split(",").map((one) => one || "empty").join(", ") : value || "empty";
  return `${OPERATORS[type][operator]} ${type === "boolean" ? yesOrNo(value === "true") : said}`;
}

export const yesOrNo = (value) => (value ? "yes" : "no");

// Adds a filter, unless it is there, beside which the API would refuse it.
export const withFilter = (filters, filter) => (
  filters.some((one) => formatFilter(one) === formatFilter(filter)) ? filters : [...filters, filter]);

// Puts another filter in the place of one.
export function changeFilter(filters, index, filter) {
  const others = filters.toSpliced(index, 1);
  return withFilter(others, filter) === others ? others : filters.with(index, filter);
}

// Returns the test whether a filter leaves one group of a trait.
const choosesGroup = ({ name, type = "string" }) => (filter) => (
  filter.operator === "eq" && filter.name === name && filter.type === type);

// Returns the filter that chooses a group of the question's trait; undefined if there is none.
export const chosenGroup = ({ group: name, groupType: type, filters }) => (
  filters.find(choosesGroup({ name, type })));

const leaving = ({ group: name, groupType: type = "string" }, value) => ({ name, type, operator: "eq", value });

// Returns the filter that leaves one group; null for *no value* and *all others*, which no filter leaves.
export const filterOf = (question, { group, other }) => (
  other || group === null || question.group.includes("=") ? null : leaving(question, String(group)));

// Returns the filters for all groups by a trait: without one that chooses a group.
export const filtersOfGroups = ({ filters }, trait) => filters.filter((one) => !choosesGroup(trait)(one));

// Narrows the filters to a group, which takes the place of another one of its trait: no record is in both.
// The same group again is removed.
export function withGroup(filters, filter) {
  const same = filters.findIndex(choosesGroup(filter));
  if (same < 0) return withFilter(filters, filter);
  const isSame = filters[same].value === filter.value;
  return isSame ? filters.toSpliced(same, 1) : changeFilter(filters, same, filter);
}

const oneOf = (values) => (text) => values.includes(text);

// Writes the period of a question, its word or its dates, with the interval: what a narrowed one is within.
export const formatPeriod = ({ period, start, end, interval }) => (
  [...(period ? [period] : [start, end]), interval].join("/"));

// Parses such a text on a day; returns null for others.
export function parsePeriod(text, today) {
  const parts = text.split("/");
  const interval = parts.pop();
  if (!INTERVALS.includes(interval)) return null;
  if (parts.length === 1 && namedPeriod(parts[0], today)) {
    const [period] = parts;
    const { start, end } = namedPeriod(period, today);
    return { period, start, end, interval };
  }
  const [start, end] = parts;
  return parts.length === 2 && isDate(start) && isDate(end) && start < end ? { start, end, interval } : null;
}

// What a page shows whose address has no period.
const FIRST_PERIOD = "12mo";

// Which words are periods does not depend on the day.
const ANY_DAY = "2026-01-31";

// The parameters that occur once, and what each may be.
const PARAMETERS = {
  project: (text) => /^[A-Za-z0-9_-]{1,64}$/.test(text),
  period: (text) => namedPeriod(text, ANY_DAY) !== null,
  start: isDate,
  end: isDate,
  within: (text) => parsePeriod(text, ANY_DAY) !== null,
  before: oneOf(["none", "year"]),
  interval: oneOf(INTERVALS),
  weekStart: oneOf(["monday", "sunday"]),
  timezone: (text) => text !== "",
  group: (text) => text !== "",
  groupType: oneOf(["string", "boolean"]),
  groupLimit: (text) => /^([1-9]\d?|100)$/.test(text),
  respondents: oneOf(["latest"]),
  window: oneOf(WINDOWS),
  scale: oneOf(["full"]),
  target: (text) => /^-?\d{1,3}(\.\d)?$/.test(text) && Math.abs(text) <= 100,
};

const OWN = [...Object.keys(PARAMETERS), "filter", "line"];

// Reads an address. Returns what it says, and the parts that mean nothing, such as a mistyped filter. Parameters
// that the page never had are not its own: newsletters and social networks add them to links.
export function parseAddress(search) {
  const said = { filters: [], lines: [] };
  const { filters, lines } = said;
  const problems = [];
  for (const [name, value] of new URLSearchParams(search)) {
    const filter = name === "filter" ? parseFilter(value) : null;
    const isOnce = Object.hasOwn(PARAMETERS, name) && !(name in said);
    if (filter && withFilter(filters, filter) !== filters) filters.push(filter);
    else if (name === "line" && lines.length < MAX_LINES && !lines.includes(value)) lines.push(value);
    else if (isOnce && PARAMETERS[name](value)) said[name] = value;
    else if (OWN.includes(name)) problems.push(`${name}=${value}`);
  }
  const { start, end, before } = said;
  if (!start !== !end || (start && start >= end)) {
    problems.push(`start=${start ?? ""}, end=${end ?? ""}`);
    delete said.start;
    delete said.end;
  }
  if (said.period && said.start) {
    problems.push(`period=${said.period}`);
    delete said.period;
  }
  const period = said.start ? said : namedPeriod(said.period ?? FIRST_PERIOD, ANY_DAY);
  if (before === "year" && !fitsYear(period)) {
    problems.push(`before=${before}`);
    delete said.before;
  }
  if (!said.group) problems.push(...lines.splice(0).map((line) => `line=${line}`));
  if (filters.splice(MAX_FILTERS).length > 0) problems.push(`more than ${MAX_FILTERS} filters`);
  return { said, problems };
}

// Writes the address of a question. Of a period that has a name, it has no dates.
export function formatAddress(question) {
  const follows = (name) => question.period && (name === "start" || name === "end");
  const isSaid = (name) => question[name] && !follows(name);
  const once = Object.keys(PARAMETERS).filter(isSaid).map((name) => [name, question[name]]);
  const filters = question.filters.map((filter) => ["filter", formatFilter(filter)]);
  const lines = question.lines.map((line) => ["line", line]);
  return `?${[...once, ...filters, ...lines].map(([name, value]) => `${name}=${encoded(value)}`).join("&")}`;
}

// Leaves readable what a query may hold as it is.
const encoded = (value) => (
  encodeURIComponent(value).replace(/%(2F|3A|3D|2C)/g, (code) => decodeURIComponent(code)));

// Applies changes. Another period is not within another one unless the changes say so; another trait has no lines
// yet.
export function changed(question, changes) {
  const lines = "group" in changes ? { lines: [] } : {};
  const former = changes.start && { period: undefined, within: undefined };
  return { ...question, ...lines, ...former, ...changes };
}

// Completes what an address says with what the server suggests, and with the reader's zone and week. A period
// that rolls gets its dates of today.
export function complete(said, settings, { today, zone, weekStart }) {
  const project = said.project ?? settings.project;
  const suggested = project === settings.project ? settings : {};
  const question = {
    ...said,
    ...(said.start && !said.period ? {} : rolled(said, today)),
    project,
    timezone: said.timezone ?? zone,
    group: said.group ?? suggested.group,
    groupType: said.group && said.groupType === "boolean" ? "boolean" : undefined,
    lines: said.lines ?? [],
  };
  const fits = offeredIntervals(question).includes(said.interval);
  question.interval = fits ? said.interval : defaultInterval(question);
  if (question.before === "year" && !fitsYear(question)) question.before = undefined;
  question.weekStart = question.interval === "week" ? (said.weekStart ?? weekStart) : undefined;
  return question;
}

function rolled({ period = FIRST_PERIOD }, today) {
  const { start, end } = namedPeriod(period, today);
  return { period, start, end };
}

function records({ project, timezone, filters }, { period, start, end }) {
  const when = period ? [["period", period]] : [["startDate", start], ["endDate", end]];
  const conditions = filters.map((filter) => ["filter", formatFilter(filter)]);
  return [["project", project], ...when, ["timezone", timezone], ...conditions];
}

// The word of a period tells the API what to compare it with; what is not compared has the same dates.
const dates = ({ start, end }) => ({ start, end });

// Returns the API's parameter for what the period is compared with, if it is.
const compared = ({ before = "previous" }) => (before === "none" ? [] : [["compare", before]]);

// Returns the API's parameters for the figures of the question's period, and its change.
export const whole = (question) => [...totals(question, question), ...compared(question)];

// Returns the API's parameters for the figures of a whole period.
function totals(question, period) {
  const respondents = question.respondents ? [["respondents", question.respondents]] : [];
  return [...records(question, period), ["confidence", "95"], ...respondents];
}

function intervals(question) {
  const { interval, weekStart } = question;
  const window = windowOf(question);
  const week = weekStart ? [["weekStart", weekStart]] : [];
  return [["interval", interval], ...week, ...(window ? [["window", `${window}d`]] : [])];
}

// Returns how many days each interval of the trend counts; undefined if it counts its own.
export const windowOf = ({ window, interval, respondents }) => (
  !respondents && ["day", "week", "month"].includes(interval) ? window : undefined);

// Returns the API's parameters for the intervals of a period, by default the question's.
export const series = (question, period = question) => [...totals(question, dates(period)), ...intervals(question)];

// Returns the API's parameters for the groups of the question's period by a trait, by default its own, and their
// changes.
export function groups(question, { name, type = "string", limit } = traitOf(question)) {
  const groupBy = [["groupBy", `${type}.${name}`]];
  const filters = filtersOfGroups(question, { name, type });
  const groupLimit = limit ? [["groupLimit", limit]] : [];
  return [...totals({ ...question, filters }, question), ...groupBy, ...groupLimit, ...compared(question)];
}

const traitOf = ({ group, groupType, groupLimit }) => ({ name: group, type: groupType, limit: groupLimit });

// Returns the API's parameters for the intervals of one group, which replaces another one that is chosen.
export function line(question, value) {
  const own = leaving(question, value);
  const filters = [...filtersOfGroups(question, own), own];
  return series({ ...question, filters });
}

// Returns the API's parameters for the traits of all records of the period.
export const traits = (question) => (
  [...records({ ...question, filters: [] }, dates(question)), ["describe", "traits"]]);

// Returns the API's parameters for the years of a period.
export const years = (question, period) => (
  series({ ...question, respondents: undefined, interval: "year", weekStart: undefined }, period));

// Names a file of a question's figures by its dates, what divides them and its filters, whose signs no file system
// may take.
export function fileName({ project, start, end, filters }, division) {
  const words = filters.map(({ name, operator, value }) => `${name} ${operator} ${value}`);
  const named = [project, start, addDays(end, -1), "by", division, ...words].join(" ");
  return `feedback-${/^.{0,100}/u.exec(named.match(/[\p{L}\p{M}\p{N}_.]+/gu).join("-"))[0]}`;
}
