// Calendar dates, as text (`2026-03-01`), and periods of them: the presets, the period before, and the
// intervals that suit a period. No clock and no time zone is involved. A period is `{ start, end }`, two
// dates, of which the end is exclusive. Its `before` may say what it is compared with: `year` for the same
// days a year earlier, the date on which an earlier period begins, or `none`.

// Returns the midnight of a date in UTC, for arithmetic and for formatting.
export const atUtc = (date) => new Date(`${date}T00:00Z`);

const text = (midnight) => midnight.toISOString().slice(0, 10);

// Returns whether a text is a date of the years 0001 to 9999.
export function isDate(value) {
  const isFormed = /^\d{4}-\d\d-\d\d$/.test(value) && value >= "0001";
  return isFormed && !Number.isNaN(atUtc(value).getTime()) && text(atUtc(value)) === value;
}

export function addDays(date, days) {
  const midnight = atUtc(date);
  midnight.setUTCDate(midnight.getUTCDate() + days);
  return text(midnight);
}

// Returns the same day of another month, or that month's last day if it is shorter.
export function addMonths(date, months) {
  const at = atUtc(date);
  const day = at.getUTCDate();
  at.setUTCMonth(at.getUTCMonth() + months + 1, 0);
  at.setUTCDate(Math.min(day, at.getUTCDate()));
  return text(at);
}

// Returns the number of days from one date to another.
export const daysBetween = (start, end) => Math.round((atUtc(end) - atUtc(start)) / 86_400_000);

// How many months the longer intervals have.
const MONTHS = { month: 1, quarter: 3, year: 12 };

// Returns the first date of the calendar interval in which a date lies.
export function startOf(interval, date, weekStart = "monday") {
  if (interval === "day") return date;
  const at = atUtc(date);
  const months = MONTHS[interval];
  if (months) return addMonths(`${date.slice(0, 8)}01`, -(at.getUTCMonth() % months));
  return addDays(date, -((at.getUTCDay() + (weekStart === "sunday" ? 0 : 6)) % 7));
}

// Returns the first date of the calendar interval after the one that begins at `start`.
export function next(interval, start) {
  const months = MONTHS[interval];
  return months ? addMonths(start, months) : addDays(start, interval === "week" ? 7 : 1);
}

// Returns the first date of the interval that has the place of another one, of a period, in an earlier period:
// as many intervals before as lie between both periods, and of days the same one of a month if both periods
// begin alike. There is none of a day that the month lacks.
export function counterpart({ interval, weekStart, start }, earlier, date) {
  const days = daysBetween(earlier.start, start);
  const first = startOf(interval, date, weekStart);
  if (interval === "week") return addDays(first, -7 * Math.round(days / 7));
  const months = Math.round(days / 30.4375);
  if (interval !== "day") return addMonths(first, -MONTHS[interval] * Math.round(months / MONTHS[interval]));
  if (start.slice(8) !== earlier.start.slice(8)) return addDays(date, -days);
  const same = addMonths(date, -months);
  return same.slice(8) === date.slice(8) ? same : null;
}

// A chart with more points than this cannot be read; a year of days fits.
const MAX_POINTS = 400;

export const INTERVALS = ["day", "week", "month", "quarter", "year"];

const ROLLING = /^(\d+)(d|w|mo|y)$/;

// Says which period a word names that names another one on another day; undefined for other words.
export function rollingName(text) {
  const [, count, letters] = ROLLING.exec(text) ?? [];
  const unit = { d: "day", w: "week", mo: "month", y: "year" }[letters];
  return unit && `the last ${count === "1" ? unit : `${count} ${unit}s`}`;
}

const CALENDAR = /^(\d{4})(?:-(?:Q([1-4])|W(\d\d)|(0[1-9]|1[0-2])))?$/;

// Returns the period that a word of `feedback stats --period` names on a day, null for other texts: one of the
// calendar (`2026-Q3`), or one until that day (`30d`; `12mo`, whose months are the calendar's).
export function namedPeriod(text, today) {
  const [, count, unit] = ROLLING.exec(text) ?? [];
  if (unit) return count >= 1 && count <= 9999 ? untilToday(Number(count), unit, today) : null;
  const [, year, quarter, week, month] = CALENDAR.exec(text) ?? [];
  if (!year || year === "0000" || year === "9999") return null;
  if (week) {
    const start = addDays(startOf("week", `${year}-01-04`), 7 * (week - 1));
    return addDays(start, 3).startsWith(year) ? { start, end: addDays(start, 7) } : null;
  }
  const start = addMonths(`${year}-01-01`, quarter ? 3 * (quarter - 1) : (month ?? 1) - 1);
  return { start, end: next(quarter ? "quarter" : month ? "month" : "year", start) };
}

function untilToday(count, unit, today) {
  const end = addDays(today, 1);
  if (unit === "d" || unit === "w") return { start: addDays(end, unit === "d" ? -count : -7 * count), end };
  // No calendar here reaches further back than year 1.
  const all = 12 * (today.slice(0, 4) - 1) + Number(today.slice(5, 7));
  const months = Math.min(unit === "y" ? 12 * count : count, all);
  return { start: addMonths(startOf("month", today), 1 - months), end };
}

// Returns the presets of a day. Those that have a `period`, its word, roll; the interval divides them into
// whole ones but the last.
export function presets(today) {
  const rolling = (period) => ({ period, ...namedPeriod(period, today) });
  const current = (interval) => (
    running({ start: startOf(interval, today), end: addDays(today, 1) }, MONTHS[interval]));
  const last = (interval) => {
    const end = startOf(interval, today);
    return { start: addMonths(end, -MONTHS[interval]), end };
  };
  return [
    { label: "Last 7 days", interval: "day", ...rolling("7d") },
    { label: "Last 30 days", interval: "day", ...rolling("30d") },
    { label: "Last 90 days", ...rolling("90d") },
    { label: "Last 12 months", interval: "month", ...running(rolling("12mo"), 12) },
    { label: "This month", ...running(rolling("1mo"), 1) },
    { label: "Last month", ...last("month") },
    { label: "This quarter", ...current("quarter") },
    { label: "Last quarter", ...last("quarter") },
    { label: "This year", ...current("year") },
    { label: "Last year", ...last("year") },
  ];
}

// Returns the preset that a period is on a day; undefined for others.
export const presetOf = ({ period, start, end }, today) => presets(today).find((one) => (
  one.period === period && one.start === start && one.end === end));

// Compares a period of so many months, while it runs, with the same days before.
function running(period, months) {
  const { start, end } = period;
  return end === addMonths(start, months) ? period : { ...period, before: addMonths(start, -months) };
}

// Returns the start of the same days of the unit before, where a period is a unit of the calendar that still
// runs; undefined for others, which are compared with all the days before them. The first days of a quarter are
// those of a month, too: there, the period's own `before` tells.
export function sameDaysBefore({ start, end, before }, today) {
  const units = presets(today).filter((one) => one.before && one.start === start && one.end === end);
  return (units.find((one) => one.before === before) ?? units[0])?.before;
}

// Returns the dates of a named period on a day. A month, quarter or year that still runs ends with that day, so
// that it is compared with as many days before.
export function datesOn(text, today) {
  const whole = namedPeriod(text, today);
  const [unit, end] = [unitOf(whole), addDays(today, 1)];
  const isRunning = unit && whole.start < end && end < whole.end;
  return isRunning ? running({ start: whole.start, end }, MONTHS[unit]) : whole;
}

// Returns what another period is compared with if the kind of comparison stays.
export function sameComparison(before, period, today) {
  if (before === "none" || (before === "year" && yearEarlier(period))) return before;
  return sameDaysBefore(period, today);
}

// Returns how many whole months a period has, or 0 if it is not made of whole months.
function wholeMonths({ start, end }) {
  const years = Number(end.slice(0, 4)) - Number(start.slice(0, 4));
  const months = 12 * years + Number(end.slice(5, 7)) - Number(start.slice(5, 7));
  const whole = months > 0 && (addMonths(start, months) === end || addMonths(end, -months) === start);
  return whole ? months : 0;
}

// Returns the start of the same days a year earlier; null for more than a year, which they would overlap.
export const yearEarlier = ({ start, end }) => (
  end <= addMonths(start, 12) && start >= "0002" ? addMonths(start, -12) : null);

// Returns the period that a period is compared with: as many calendar units before.
export function periodBefore(period) {
  const { start, end, before } = period;
  const days = daysBetween(start, end);
  if (before) {
    const earlier = yearEarlier(period);
    const first = before === "year" ? earlier : before;
    const last = first === earlier ? addMonths(end, -12) : addDays(first, days);
    return { start: first, end: last < start ? last : start };
  }
  const months = wholeMonths(period);
  return { start: months ? addMonths(start, -months) : addDays(start, -days), end: start };
}

// Says how long before one date another is, such as `a month` or `30 days`.
export function distance(earlier, start) {
  const months = wholeMonths({ start: earlier, end: start });
  const [count, unit] = !months ? [daysBetween(earlier, start), "day"]
    : months % 12 ? [months, "month"] : [months / 12, "year"];
  return count === 1 ? `a ${unit}` : `${count} ${unit}s`;
}

// Returns whether a period can have one before it: no calendar here reaches further back than year 1.
export const hasPeriodBefore = ({ start, end }) => (
  daysBetween("0001-01-01", start) > daysBetween(start, end) + 31);

// Returns the periods of the same length before and after a period, or null where there is none: none begins
// after today. One that runs until today has the length of its whole unit.
export function neighbors(period, today) {
  const { start, end } = period;
  const same = sameDaysBefore(period, today);
  const unit = same && addMonths(start, wholeMonths({ start: same, end: start }));
  const whole = { start, end: unit ?? end };
  const months = wholeMonths(whole);
  const next = months ? addMonths(whole.end, months) : addDays(whole.end, daysBetween(start, end));
  const tomorrow = addDays(today, 1);
  return {
    previous: hasPeriodBefore(whole) ? periodBefore(whole) : null,
    next: whole.end <= today ? { start: whole.end, end: next < tomorrow ? next : tomorrow } : null,
  };
}

// Returns the unit of the calendar, month, quarter or year, that a period is; undefined for others.
export const unitOf = ({ start, end }) => (
  Object.keys(MONTHS).find((unit) => startOf(unit, start) === start && next(unit, start) === end));

// Returns at most how many intervals a period has.
function points(interval, { start, end }) {
  const days = daysBetween(start, end);
  const length = { day: 1, week: 7, month: 30.4375, quarter: 91.3125, year: 365.25 }[interval];
  return interval === "day" ? days : Math.ceil(days / length) + (days > length ? 1 : 0);
}

// Returns the intervals of which a chart of this period can be read.
export function offeredIntervals(period) {
  const isReadable = (count) => count >= 2 && count <= MAX_POINTS;
  const offered = INTERVALS.filter((interval) => isReadable(points(interval, period)));
  return offered.length > 0 ? offered : [daysBetween(period.start, period.end) <= 1 ? "day" : "year"];
}

// Returns the interval that shows a period best: the shortest that gives no more than 40 points.
export function defaultInterval(period) {
  const offered = offeredIntervals(period);
  return offered.find((interval) => points(interval, period) <= 40) ?? offered.at(-1);
}
