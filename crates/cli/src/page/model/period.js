// Calendar dates, as text (`2026-03-01`), and periods of them: the words that name some, and the intervals that
// suit a period. No clock and no time zone is involved. A period is `{ start, end }`, two dates, of which the end
// is exclusive.

// Returns the midnight of a date in UTC, for arithmetic and for formatting.
export const atUtc = (date) => new Date(`${date}T00:00Z`);

const text = (midnight) => midnight.toISOString().slice(0, 10);

// Returns whether a text is a date of the years 1000 to 9999, before which there are no surveys.
export function isDate(value) {
  const isFormed = /^[1-9]\d{3}-\d\d-\d\d$/.test(value);
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

const UNTIL_TODAY = /^([1-9]\d{0,3})(d|w|mo|y)$/;
const RELATIVE = /^(this|last)-(week|month|quarter|year)$/;
const CALENDAR = /^(\d{4})(?:-(?:Q([1-4])|W(\d\d)|(0[1-9]|1[0-2])))?$/;

// Says which period a word names that names another one on another day; undefined for other words.
export function rollingName(text) {
  const [, count, letters] = UNTIL_TODAY.exec(text) ?? [];
  const unit = { d: "day", w: "week", mo: "month", y: "year" }[letters];
  if (unit) return `the last ${count === "1" ? unit : `${count} ${unit}s`}`;
  return RELATIVE.test(text) ? text.replace("-", " ") : undefined;
}

// Returns the period that a word names on a day, as the API does, and where it would end were it over (`whole`);
// null for other texts. A unit in which today lies ends with today.
export function namedPeriod(text, today) {
  const found = wholePeriod(text, today);
  if (!found || !isDate(found.start)) return null;
  const { start, end: whole } = found;
  const tomorrow = addDays(today, 1);
  return { start, end: start <= today && tomorrow < whole ? tomorrow : whole, whole };
}

function wholePeriod(text, today) {
  const [, count, letters] = UNTIL_TODAY.exec(text) ?? [];
  if (letters) return untilToday(Number(count), letters, today);
  const [, which, unit] = RELATIVE.exec(text) ?? [];
  if (unit) {
    const current = startOf(unit, today);
    const start = which === "this" ? current : startOf(unit, addDays(current, -1));
    return { start, end: next(unit, start) };
  }
  const [, year, quarter, week, month] = CALENDAR.exec(text) ?? [];
  if (!year || year === "9999") return null;
  if (week) {
    const start = addDays(startOf("week", `${year}-01-04`), 7 * (week - 1));
    return addDays(start, 3).startsWith(year) ? { start, end: addDays(start, 7) } : null;
  }
  const start = addMonths(`${year}-01-01`, quarter ? 3 * (quarter - 1) : (month ?? 1) - 1);
  return { start, end: next(quarter ? "quarter" : month ? "month" : "year", start) };
}

function untilToday(count, letters, today) {
  const end = addDays(today, 1);
  if (letters === "d" || letters === "w") return { start: addDays(end, letters === "d" ? -count : -7 * count), end };
  const months = letters === "y" ? 12 * count : count;
  const current = startOf("month", today);
  return { start: addMonths(current, 1 - months), end: next("month", current) };
}

// The presets: words, and how they read.
const PRESETS = [
  ["7d", "Last 7 days"], ["30d", "Last 30 days"], ["90d", "Last 90 days"], ["12mo", "Last 12 months"],
  ["this-month", "This month"], ["last-month", "Last month"],
  ["this-quarter", "This quarter"], ["last-quarter", "Last quarter"],
  ["this-year", "This year"], ["last-year", "Last year"],
];

// Returns the presets of a day.
export const presets = (today) => PRESETS.map(([period, label]) => {
  const { start, end } = namedPeriod(period, today);
  return { label, period, start, end };
});

// Returns how the word of a preset reads; undefined for other words.
export const presetLabel = (word) => PRESETS.find(([period]) => period === word)?.[1];

// Returns how many whole months a period has, or 0 if it is not made of whole months.
function wholeMonths({ start, end }) {
  const years = Number(end.slice(0, 4)) - Number(start.slice(0, 4));
  const months = 12 * years + Number(end.slice(5, 7)) - Number(start.slice(5, 7));
  const whole = months > 0 && (addMonths(start, months) === end || addMonths(end, -months) === start);
  return whole ? months : 0;
}

// Returns whether a period can be compared with the same days a year earlier, which more than a year would overlap.
export const fitsYear = ({ start, end }) => end <= addMonths(start, 12);

// Returns the periods of the same length before and after a period; `next` is null where it would begin after
// today. One that runs until today has the length that its word gives it.
export function neighbors({ start, end, period }, today) {
  const whole = { start, end: (period && namedPeriod(period, today).whole) || end };
  const [days, months] = [daysBetween(start, whole.end), wholeMonths(whole)];
  const moved = (date, by) => (months ? addMonths(date, by * months) : addDays(date, by * days));
  const [after, tomorrow] = [moved(whole.end, 1), addDays(today, 1)];
  return {
    previous: { start: moved(start, -1), end: start },
    next: whole.end <= today ? { start: whole.end, end: after < tomorrow ? after : tomorrow } : null,
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
