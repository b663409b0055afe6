// Loads the figures that answer a question, and inquires into a project's data: its years and its traits.

import { Failure } from "./api.js";
import { count, day, intervalName, isCut, localDate, localPeriod } from "./model/format.js";
import { addDays, addMonths, startOf } from "./model/period.js";
import * as ask from "./model/question.js";
import { mayPass, problemText } from "./view/states.js";

// How many milliseconds the other requests wait for the score, which they would slow down.
const PATIENCE = 1000;

// Requests the parts of the page, and returns a promise of each: `figures` of the period, with its change;
// `before`, the intervals of the period that it is compared with; `series`, the intervals; `groups`, empty if the
// question has none; `lines`, the intervals of some of them; `ahead`, the years after today with displays, if the
// period ends today. A part that fails is `{ failure }`, except `figures`, whose promise is rejected.
export function requestParts(question, request, today) {
  const first = request(ask.whole(question));
  const turn = Promise.race([first, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
  // A failure is not unhandled where no other request waits for its turn.
  turn.catch(() => {});
  const later = (parameters) => turn.then(() => request(parameters));
  // If the score fails as well, its failure stands for all parts.
  const part = (all) => all.then((value) => ({ value }), (failure) => first.then(() => ({ failure })));
  const figures = first.then((all) => ({ ...all[0], skipped: all.skipped, summary: all.summary }));
  const intervals = later(ask.series(question));
  return {
    figures,
    before: compared(question, figures, request, today),
    series: part(intervals.then((elements) => elements.map((one) => named(question, one, today)))),
    groups: question.group ? part(later(ask.groups(question))) : figures.then(() => ({})),
    lines: Promise.all(question.lines.map((line) => lineOf(question, line, later, today))),
    ahead: question.end === addDays(today, 1) ? turn.then(() => yearsAhead(question, request, today), () => [])
      : Promise.resolve([]),
  };
}

// Returns the period that was compared with, and its intervals (`points`), if there is one.
async function compared(question, figures, request, today) {
  const { before } = await figures;
  if (!before?.responses) return {};
  const period = localPeriod(before, question.timezone);
  try {
    const points = await request(ask.series(question, period));
    const begun = before.since && localDate(before.since, question.timezone);
    const begins = (one) => begun && !ask.windowOf(question) && one.start < begun && begun < one.end;
    const marked = (one) => (begins(one) ? { ...one, partial: `records from ${day(begun)}` } : one);
    return { period, points: points.map((one) => marked(named(question, one, today))) };
  } catch (failure) {
    return { period, failure };
  }
}

// Returns a group that is a line of the trend, with its `points`, or with the `problem` why it has none.
async function lineOf(question, name, request, today) {
  try {
    const elements = await request(ask.line(question, name));
    if (elements.every(({ displays }) => displays === 0)) return { name, problem: "no surveys shown" };
    return { name, points: elements.map((one) => named(question, one, today)) };
  } catch (failure) {
    return { name, problem: problemText(failure), hasFailed: mayPass(failure) };
  }
}

// Gives an element of the series its dates in the zone and its name. `partial` says of an interval that it is
// `after today`, `running`, or `partial` because the period cuts it.
function named(question, element, today) {
  const [start, end] = [element.start, element.end].map((instant) => localDate(instant, question.timezone));
  const name = intervalName(question.interval, start);
  // A window is whole where its interval is not.
  const isRunning = start <= today && today < end;
  const how = start > today ? "after today" : isRunning ? "running" : isCut(question, start, end) && "partial";
  const partial = ask.windowOf(question) ? null : how || null;
  return { ...element, interval: question.interval, start, end, name, partial };
}

// Returns the years of a period with displays; the period cuts them.
async function yearsOf(question, request, period) {
  const years = (await request(ask.years(question, period))).filter(({ displays }) => displays > 0);
  return years.map((one) => ({ ...one, ...localPeriod(one, question.timezone) }));
}

// Wrong clocks can be ahead, but few are by more than ten years.
const yearsAhead = (question, request, today) => (
  yearsOf(question, request, { start: addDays(today, 1), end: addMonths(startOf("year", today), 132) }));

// Returns the period of the years with displays, and the `latest` of these years; null if there is none. Wrong
// clocks say 1970 at the earliest.
async function findExtent(question, request, today) {
  const past = await yearsOf(question, request, { start: "1970-01-01", end: addDays(today, 1) });
  const years = [...past, ...await yearsAhead(question, request, today)];
  if (years.length === 0) return null;
  const { end } = years.at(-1);
  const latest = startOf("year", years.at(-1).start);
  const displays = years.filter(({ start }) => start >= latest).reduce((sum, one) => sum + one.displays, 0);
  return { start: years[0].start, end, latest: { start: latest, end, displays } };
}

// Returns the inquiries. `state` returns the current question, and the function that asks the API.
export function data(state) {
  // The promise of the traits that were described last, and the question about them.
  let described = {};

  // Finds the `extent` of the project's data that the filters match; returns words if there is none.
  async function look(filters) {
    const { question, request, today } = state();
    try {
      const extent = await findExtent({ ...question, filters }, request, today(question.timezone));
      if (extent) return { extent };
      if (filters.length > 0) return { words: "Other years have nothing, either." };
      return { words: "No survey of this project has been shown yet.", isNew: true };
    } catch (failure) {
      // An inquiry that ended because its question did has no reader.
      return { words: failure instanceof Failure ? problemText(failure) : "" };
    }
  }

  return {
    findAll: () => look([]),
    findData: () => look(state().question.filters),

    // Finds the traits of the records of the period, whatever the filters; none if they cannot be had.
    findTraits() {
      const { question, request } = state();
      const parameters = ask.traits(question);
      const key = JSON.stringify(parameters);
      const forget = () => {
        if (described.key === key) described = {};
        return [];
      };
      if (described.key !== key) described = { key, traits: request(parameters).catch(forget) };
      return described.traits;
    },

    // Finds the most frequent values of a trait in the period, each with the number of its displays. They are
    // only offered, so that any failure leaves them out.
    async findValues(name) {
      const { question, request } = state();
      const traits = await described.traits;
      if (traits?.some((trait) => trait.private && trait.name === name)) return [];
      const filters = question.filters.filter((filter) => filter.name !== name);
      const asked = ask.groups({ ...question, filters, respondents: undefined, before: "none" },
        { name, limit: "100" });
      try {
        const elements = (await request(asked)).filter(({ group }) => typeof group === "string");
        return elements.map(({ group, displays }) => ({ label: group, note: `${count(displays)} shown` }));
      } catch {
        return [];
      }
    },
  };
}
