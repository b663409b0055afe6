// Loads what the page shows of a question, and finds out about a project's data what the page needs besides.

import { Failure } from "./api.js";
import { total } from "./model/figures.js";
import { count, intervalName, isCut, localDate } from "./model/format.js";
import { addDays, hasPeriodBefore, periodBefore } from "./model/period.js";
import * as ask from "./model/question.js";
import { problemText } from "./view/states.js";

// How many milliseconds the other requests wait for the score, which they would slow down.
const PATIENCE = 1000;

// Where surveys were shown at least so often, groups that nobody asked for would cost too much.
const MANY = 100_000;

// Requests the parts of the page, and returns a promise of each: `figures`, those of the period; `before`, those of the
// one before and of its intervals; `series`, its intervals; `groups`, those that the page suggests if none are asked for; `lines`,
// the intervals of some of them; `missing`, the traits that no record has. What one answer contains is not asked for by another request. All but
// `figures` carry their own failure, as `{ failure }`. `extent` is known if the page has looked for the data's beginning.
export function requestParts(question, request, { today, extent, findMissing, suggestGroups }) {
  const { group: name, groupType: type, groupLimit: limit, respondents } = question;
  const first = request(respondents ? ask.totals(question, question) : ask.series(question, question));
  const turn = Promise.race([first, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
  // Nothing may wait for it.
  turn.catch(() => {});
  const later = (parameters) => turn.then(() => request(parameters));
  // A part that fails with the score is no failure of its own.
  const part = (promise, read = (elements) => elements) => promise.then((elements) => ({ value: read(elements) }), (failure) => first.then(() => ({ failure })));
  const figures = first.then(respondents ? ([one]) => one : total);
  const groups = name ? part(later(ask.groups(question, { name, type, limit }))) : figures.then(suggestGroups);
  return {
    figures,
    before: compared(question, later, extent),
    series: part(respondents ? later(ask.series(question, question)) : first, (elements) => elements.map((one) => named(question, one, today))),
    groups,
    lines: linesOf(question, groups, request, today),
    missing: missing(question, figures, groups, findMissing),
  };
}

// Returns the groups that are lines of the trend, each with its `points` or with why it has none. One request has them
// all, and no more groups than it takes: those that are as frequent.
async function linesOf({ lines, ...question }, groups, request, today) {
  if (lines.length === 0) return [];
  const { value: found = [], failure } = await groups;
  const isOf = (line) => ({ group, other }) => !other && group !== null && String(group) === line;
  const limit = 1 + Math.max(...lines.map((line) => found.findIndex(isOf(line))));
  const [elements, problem] = await (limit > 0 ? request(ask.lines(question, limit)) : Promise.resolve([])).then((all) => [all, failure], (refused) => [[], refused]);
  return lines.map((name) => {
    const points = elements.filter(isOf(name)).map((one) => named(question, one, today));
    if (points.length > 0) return { name, points };
    return { name, problem: problem ? problemText(problem) : "not among the groups shown" };
  });
}

// Returns the figures of the period before and of its intervals (`points`), and where the first of these has no displays,
// the date from which there are some (`begins`).
async function compared(question, request, extent) {
  if (question.before === "none" || !hasPeriodBefore(question)) return { none: true };
  const period = periodBefore(question);
  if (extent && question.start <= extent.start) return { period, none: true };
  try {
    const intervals = request(ask.series(question, period));
    const figures = question.respondents ? request(ask.totals(question, period)).then(([one]) => one) : intervals.then(total);
    const [points, all] = await Promise.all([intervals, figures]);
    const first = points.findIndex(({ displays }) => displays > 0);
    return { period, points, figures: all, begins: first > 0 ? localDate(points[first].start, question.timezone) : null };
  } catch (failure) {
    return { period, failure };
  }
}

// Returns the traits of the question that no record has, where that explains why nothing matches or has a value.
async function missing({ filters, group, groupType = "string" }, figures, groups, find) {
  const [{ displays }, { value }] = await Promise.all([figures, groups]);
  const isBare = value?.length === 1 && value[0].group === null && !value[0].other;
  const wanted = displays === 0 ? filters.map((filter, at) => ({ ...filter, control: `filter-${at}` })).filter((filter) => !ask.matchesAbsent(filter)) : isBare ? [{ name: group, type: groupType, control: "group" }] : [];
  return wanted.length > 0 ? find(wanted) : [];
}

// Gives an element of the series its dates in the zone, its name, and whether it is a whole interval that is over or, if not, a
// part of one that is over or `running`.
function named(question, element, today) {
  const [start, end] = [element.start, element.end].map((instant) => localDate(instant, question.timezone));
  const name = intervalName(question.interval, start);
  const cut = isCut(question, start, end);
  const partial = start <= today && today < end ? "running" : cut ? "part" : null;
  return { ...element, interval: question.interval, start, end, name, partial, complete: !partial && end <= today };
}

// Finds out how far the data goes: its first and last years, and the displays of each. Returns null if
// there is none.
async function findExtent(question, request, today) {
  const elements = await request(ask.years(question, today));
  const years = elements
    .filter(({ displays }) => displays > 0)
    .map(({ start, displays }) => ({ year: localDate(start, question.timezone).slice(0, 4), displays }));
  if (years.length === 0) return null;
  const tomorrow = addDays(today, 1);
  const period = (first, last) => {
    const end = `${String(Number(last) + 1).padStart(4, "0")}-01-01`;
    return { start: `${first}-01-01`, end: end < tomorrow ? end : tomorrow };
  };
  const { year, displays } = years.at(-1);
  return { ...period(years[0].year, year), latest: { ...period(year, year), year, displays } };
}

// Inquiries end with the question that they belong to; then nobody waits for words.
function wordsOf(failure) {
  return failure instanceof Failure ? problemText(failure) : "";
}

// Returns the inquiries. `state` returns the current question, and how to ask.
export function data(state) {
  const extents = new Map();
  const used = new Map();
  const refused = new Set();
  const tried = new Set();
  let described = {};
  const place = ({ project, timezone }) => `${project} ${timezone}`;

  async function look(filters) {
    const { question, request, today } = state();
    return findExtent({ ...question, filters }, request, today(question.timezone));
  }

  const refusal = (project, name) => `${project} ${name.toLowerCase()}`;
  const isPrivate = (name) => refused.has(refusal(state().question.project, name));

  // Remembers traits of a project; returns all that it has seen.
  function remember(project, traits) {
    const seen = used.get(project) ?? new Map();
    for (const { name, type } of traits) seen.set(`${type} ${name}`, { name, type });
    used.set(project, seen);
    return seen;
  }

  // Returns the traits to offer: those of the records if they were found, otherwise those that were used or found
  // in others.
  function known() {
    const { question } = state();
    const { project, group, groupType = "string", filters } = question;
    const seen = remember(project, [...filters, ...(group ? [{ name: group, type: groupType }] : [])]);
    const found = described.key === JSON.stringify(ask.traits(question)) ? described.traits : null;
    return (found ?? [...seen.values()]).map((trait) => ({ ...trait, private: isPrivate(trait.name) }));
  }

  // Returns the traits of the records of the period, whatever the filters; undefined if they cannot be had.
  async function describe() {
    const { question, request } = state();
    const parameters = ask.traits(question);
    const key = JSON.stringify(parameters);
    if (described.key !== key) described = { key, found: request(parameters) };
    const mine = described;
    try {
      mine.traits = await mine.found;
      remember(question.project, mine.traits);
      for (const trait of mine.traits.filter((one) => one.private)) refused.add(refusal(question.project, trait.name));
    } catch (failure) {
      const lasts = /_parameter$|^too_many_traits$/.test(failure.code);
      if (!lasts && mine === described) described = {};
    }
    return mine.traits;
  }

  return {
    // Returns how far the data of the project goes, if it has been looked for.
    extent: () => extents.get(place(state().question)),

    // Finds the period that has all data of the project; returns words if there is none.
    async findAll() {
      const { question } = state();
      try {
        const extent = await look([]);
        if (!extent) return { words: "No survey of this project has been shown." };
        extents.set(place(question), extent);
        return { period: { start: extent.start, end: extent.end, interval: undefined } };
      } catch (failure) {
        return { words: wordsOf(failure) };
      }
    },

    // Finds where there are displays that the filters of the question match; returns words if nowhere.
    async findData() {
      const { filters } = state().question;
      try {
        const extent = await look(filters);
        if (extent) return { extent };
        return filters.length > 0 ? { words: "Other years have nothing, either." } : { words: "No survey of this project has been shown yet.", isNew: true };
      } catch (failure) {
        return { words: wordsOf(failure) };
      }
    },

    traits: known,

    // Finds the traits of the records of the period, in the API's order. If they cannot be had, also
    // because the API is an older one, those known from use are returned.
    async findTraits() {
      await describe();
      return known();
    },

    // Finds those of some traits that no record of the period has, each as it was given, with the types that the records
    // have it of instead. Returns none if the traits cannot be had, or there are none.
    async findMissing(wanted) {
      const traits = (await describe()) ?? [];
      if (traits.length === 0) return [];
      return wanted
        .filter(({ name, type }) => !traits.some((one) => one.name === name && one.type === type))
        .map((one) => ({ ...one, others: traits.filter(({ name }) => name === one.name) }));
    },

    // Tries, once for each project, to find groups that explain the score (`value`): those by the text that most records
    // have (`suggested`), if they are few. Returns an empty object where there are none.
    async suggestGroups({ displays }) {
      const { question, request } = state();
      if (displays === 0 || displays >= MANY || tried.has(question.project)) return {};
      const trait = (await describe())?.find(({ name, type }) => type === "string" && !isPrivate(name));
      if (!trait) return {};
      try {
        const value = await request(ask.groups(question, { name: trait.name, limit: "12" }));
        tried.add(question.project);
        return value.some(({ other }) => other) ? {} : { value, suggested: trait.name };
      } catch (failure) {
        if (failure instanceof Failure) tried.add(question.project);
        return {};
      }
    },

    // Remembers that the API does not group by a trait.
    refuse: (project, name) => refused.add(refusal(project, name)),

    // Finds the most frequent values of a trait in the period, each with the number of its displays. They are only offered,
    // so that any failure leaves them out.
    async findValues(name) {
      const { question, request } = state();
      if (isPrivate(name)) return [];
      const filters = question.filters.filter((filter) => filter.name !== name);
      try {
        const elements = await request(ask.groups({ ...question, filters, respondents: undefined }, { name, limit: "100" }));
        return elements.filter(({ group }) => typeof group === "string").map(({ group, displays }) => ({ label: group, note: count(displays) }));
      } catch (failure) {
        if (failure.code === "private_trait") refused.add(refusal(question.project, name));
        return [];
      }
    },
  };
}
