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

// Returns eleven complete months, and the one that runs.
export const lastTwelveMonths = (today) => running(today, addMonths(startOf("month", today), -11), 12);

const lastDays = (days) => (today) => ({ start: addDays(today, 1 - days), end: addDays(today, 1) });

// The presets, each with its period today, and the interval that divides it into whole ones but the last.
export const PRESETS = [
  { label: "Last 7 days", interval: "day", period: lastDays(7) },
  { label: "Last 30 days", interval: "day", period: lastDays(30) },
  { label: "Last 90 days", period: lastDays(90) },
  { label: "Last 12 months", interval: "month", period: lastTwelveMonths },
  { label: "This month", period: (today) => current("month", today) },
  { label: "Last month", period: (today) => last("month", today) },
  { label: "This quarter", period: (today) => current("quarter", today) },
  { label: "Last quarter", period: (today) => last("quarter", today) },
  { label: "This year", period: (today) => current("year", today) },
  { label: "Last year", period: (today) => last("year", today) },
];

// Returns a period of so many months, until today. While it runs, it is compared with the same days before.
function running(today, start, months) {
  const period = { start, end: addDays(today, 1) };
  return period.end === addMonths(start, months) ? period : { ...period, before: addMonths(start, -months) };
}

const current = (interval, today) => running(today, startOf(interval, today), MONTHS[interval]);

function last(interval, today) {
  const end = startOf(interval, today);
  return { start: addMonths(end, -MONTHS[interval]), end };
}

// Returns the start of the same days of the unit before, where a period is a unit of the calendar that still
// runs; undefined for others, which are compared with all the days before them.
export function sameDaysBefore({ start, end }, today) {
  const all = PRESETS.map(({ period }) => period(today));
  return all.find((one) => one.before && one.start === start && one.end === end)?.before;
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
export function yearEarlier({ start, end }) {
  return end <= addMonths(start, 12) && start >= "0002" ? addMonths(start, -12) : null;
}

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
export function hasPeriodBefore({ start, end }) {
  return daysBetween("0001-01-01", start) > daysBetween(start, end) + 31;
}

// Returns the periods of the same length before and after a period, or null where there is none: none begins
// after today. One that runs until today has the length of its whole unit.
export function neighbors({ start, end }, today) {
  const same = sameDaysBefore({ start, end }, today);
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
export function unitOf({ start, end }) {
  return Object.keys(MONTHS).find((unit) => startOf(unit, start) === start && next(unit, start) === end);
}

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
