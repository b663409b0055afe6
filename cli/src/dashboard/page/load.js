// Loads everything that the page shows of a question.

import { addDays } from "./model/calendar.js";
import { intervalName, isCut, localDate } from "./model/format.js";
import { hasPeriodBefore, periodBefore } from "./model/period.js";
import * as ask from "./model/question.js";

// Requests the figures of the period, of the one before, of its intervals and of its groups. Fails if the
// period's own cannot be had; any other part carries its own failure. `extent` is known if the page has
// looked for the data's beginning.
export async function load(question, request, extent) {
  const { group: name, groupType: type, groupLimit: limit } = question;
  const part = (promise, read) => promise.then((elements) => ({ value: read(elements) }), (failure) => ({ failure }));
  const series = part(request(ask.series(question)), (elements) => elements.map((one) => named(question, one)));
  const groups = name ? part(request(ask.groups(question, { name, type, limit })), (elements) => elements) : {};
  const before = compared(question, request, extent);
  const [figures] = await request(ask.totals(question, question));
  return { question, figures, before: await before, series: await series, groups: await groups };
}

async function compared(question, request, extent) {
  if (!hasPeriodBefore(question)) return { none: true };
  const period = periodBefore(question);
  if (extent && question.start <= extent.start) return { period, none: true };
  try {
    const [figures] = await request(ask.totals(question, period));
    return { period, figures };
  } catch (failure) {
    return { period, failure };
  }
}

// Gives an element of the series its dates in the zone, and its name.
function named(question, element) {
  const [start, end] = [element.start, element.end].map((instant) => localDate(instant, question.timezone));
  const name = intervalName(question.interval, start);
  return { ...element, interval: question.interval, start, end, name, cut: isCut(question, start, end) };
}

// Finds out how far the data goes: its first and last years, and the displays of each. Returns null if
// there is none.
export async function findExtent(question, request, today) {
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
