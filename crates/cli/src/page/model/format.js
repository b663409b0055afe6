// Numbers and dates, in English as the page is, whatever the browser's locale.

import { addDays, atUtc, next, startOf, unitOf } from "./period.js";

const LOCALE = "en-GB";
// Writes `Sep` as the API and the terminal do, where this locale has `Sept`.
const asApi = (text) => text.replace(/\bSept\b/g, "Sep");

function date(options) {
  const written = new Intl.DateTimeFormat(LOCALE, { ...options, timeZone: "UTC" });
  return {
    format: (at) => asApi(written.format(at)),
    formatRange: (from, to) => asApi(written.formatRange(from, to)),
  };
}

const DATES = {
  day: date({ day: "numeric", month: "short", year: "numeric" }),
  month: date({ month: "long", year: "numeric" }),
  shortMonth: date({ month: "short" }),
  dayOfMonth: date({ day: "numeric", month: "short" }),
  year: date({ year: "numeric" }),
};

// Returns a function that formats a number, with a real minus sign.
function number({ digits = 0, ...options }) {
  const fixed = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const format = new Intl.NumberFormat(LOCALE, { ...fixed, ...options });
  return (value) => format.format(value).replace("-", "\u2212");
}

export const count = number({});
export const score = number({ digits: 1, signDisplay: "negative" });
export const whole = number({ signDisplay: "negative" });
export const signed = number({ digits: 1, signDisplay: "always" });
export const signedWhole = number({ signDisplay: "exceptZero" });
const percent = number({ digits: 1, style: "percent" });
const wholePercent = number({ style: "percent" });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

// Formats a count for a drawing: millions are shortened, as in `1.14M`.
export const short = (value) => (value < 1_000_000 ? count(value) : compact.format(value));

// Formats the interval of a score on one line, rounded outwards to tenths: it never seems narrower than it is. The
// terminal does the same (`functions/response-statistics/src/score.rs`). What is a tenth but for the error of doubles
// is one.
export function scoreInterval({ npsLow, npsHigh }) {
  const ends = [Math.floor(npsLow * 10 + 1e-9) / 10, Math.ceil(npsHigh * 10 - 1e-9) / 10];
  return ends.map(score).join("\u00a0to\u00a0");
}

// Formats a part of a whole as a percentage; there is none of nothing.
export function share(part, all) {
  if (all === 0) return "\u2013";
  return (part === 0 || part === all ? wholePercent : percent)(part / all);
}

// Formats a number and its noun, such as `1 response` or `2 responses`.
export const counted = (value, noun) => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;

// Isolates a text that a record has, which may be written from right to left, from the numbers beside it.
export const isolated = (text) => `\u2068${text.replace(/[\u2066-\u2069]/g, "")}\u2069`;

// Formats how often the survey was shown.
export const shown = (value) => `${counted(value, "survey")} shown`;

// Formats how many responses there are of a kind, such as `1 promoter`.
export const ofKind = (value, kind) => counted(value, kind.slice(0, -1));

export const day = (value) => DATES.day.format(atUtc(value));

// Formats a period with its last day.
export const dates = ({ start, end }) => DATES.day.formatRange(atUtc(start), atUtc(addDays(end, -1)));

// Returns the date on which an instant of an answer falls in a zone. Its text begins with that date, except
// where an old offset has seconds: such an instant is in UTC.
export const localDate = (instant, zone) => (
  instant.endsWith("Z") && zone !== "UTC" ? dateIn(new Date(instant), zone) : instant.slice(0, 10));

// Returns the dates of a period of an answer.
export const localPeriod = ({ start, end }, zone) => (
  { start: localDate(start, zone), end: localDate(end, zone) });

// Returns the date of an instant in a zone, or in UTC if the browser does not know the zone.
export function dateIn(instant, zone) {
  const digits = { year: "numeric", month: "2-digit", day: "2-digit" };
  const format = inZone({ calendar: "iso8601", numberingSystem: "latn", ...digits }, zone);
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  return `${parts.year.padStart(4, "0")}-${parts.month}-${parts.day}`;
}

// Formats an instant in a zone, or in UTC, and says so, if the browser does not know the zone.
export function time(instant, zone, options = {}) {
  const format = inZone({ ...options, hour: "numeric", minute: "2-digit" }, zone);
  return `${asApi(format.format(instant))}${format.resolvedOptions().timeZone === "UTC" ? " UTC" : ""}`;
}

function inZone(options, zone) {
  try {
    return new Intl.DateTimeFormat(LOCALE, { ...options, timeZone: zone });
  } catch {
    return new Intl.DateTimeFormat(LOCALE, { ...options, timeZone: "UTC" });
  }
}

const quarter = (at) => `Q${1 + Math.floor(at.getUTCMonth() / 3)}`;

const NAMES = {
  day: (at) => DATES.day.format(at),
  week: (at) => `week of ${DATES.day.format(at)}`,
  month: (at) => DATES.month.format(at),
  quarter: (at) => `${quarter(at)} ${DATES.year.format(at)}`,
  year: (at) => DATES.year.format(at),
};

// Names the interval that begins at a date, such as `May 2015` or `Q2 2015`.
export const intervalName = (interval, start) => NAMES[interval](atUtc(start));

// Names a month, quarter or year, such as `February 2025`, as the API does. Other periods are named by their dates.
export function periodName(period) {
  const unit = unitOf(period);
  return unit ? intervalName(unit, period.start) : dates(period);
}

const TICKS = {
  day: (at) => DATES.dayOfMonth.format(at),
  week: (at) => DATES.dayOfMonth.format(at),
  month: (at) => DATES.shortMonth.format(at),
  quarter,
};

// Returns the label of an interval on an axis. The first label of a year has the year under it.
export function tick(interval, start, previous) {
  const at = atUtc(start);
  const year = DATES.year.format(at);
  if (interval === "year") return year;
  return `${TICKS[interval](at)}${previous?.slice(0, 4) === start.slice(0, 4) ? "" : `\n${year}`}`;
}

// Names an interval as the axis does where the year is clear, such as `May` or `Q2`.
export const shortName = ({ interval, start }) => tick(interval, start, start);

// Returns whether an interval is cut by the period's start or end.
export function isCut({ interval, weekStart }, start, end) {
  const first = startOf(interval, start, weekStart);
  return first !== start || next(interval, first) > end;
}
