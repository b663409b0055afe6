// Numbers and dates, in English as the page is, whatever the browser's locale.

import { addDays, atUtc, next, startOf } from "./period.js";

const LOCALE = "en-GB";
const number = (options) => new Intl.NumberFormat(LOCALE, options);
const date = (options) => new Intl.DateTimeFormat(LOCALE, { ...options, timeZone: "UTC" });

const FORMATS = {
  count: number(),
  short: new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 }),
  signedCount: number({ signDisplay: "exceptZero" }),
  score: number({ minimumFractionDigits: 1, maximumFractionDigits: 1, signDisplay: "negative" }),
  whole: number({ maximumFractionDigits: 0, signDisplay: "negative" }),
  signedWhole: number({ maximumFractionDigits: 0, signDisplay: "exceptZero" }),
  percent: number({ style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 }),
  wholePercent: number({ style: "percent" }),
};

const DATES = {
  day: date({ day: "numeric", month: "short", year: "numeric" }),
  month: date({ month: "long", year: "numeric" }),
  shortMonth: date({ month: "short" }),
  dayOfMonth: date({ day: "numeric", month: "short" }),
  year: date({ year: "numeric" }),
};

// Returns a function that formats a number with a real minus sign.
function realMinus(format) {
  return (value) => format.format(value).replace("-", "\u2212");
}

export const count = realMinus(FORMATS.count);
export const signedCount = realMinus(FORMATS.signedCount);
export const score = realMinus(FORMATS.score);
export const whole = realMinus(FORMATS.whole);
export const signedWhole = realMinus(FORMATS.signedWhole);

// Formats a count for a drawing: millions are shortened, as in `1.14M`.
export function short(value) {
  return value < 1_000_000 ? count(value) : FORMATS.short.format(value);
}

// Formats an interval on one line.
export function interval(low, high) {
  return `${low}\u00a0to\u00a0${high}`;
}

// Formats the interval of a score.
export function scoreInterval({ npsLow, npsHigh }) {
  return interval(whole(npsLow), whole(npsHigh));
}

// Formats the interval of a change, rounded outwards, to as many digits as show on which side of zero its ends are.
export function changeInterval({ low, high }) {
  return interval(outwards(low, Math.floor), outwards(high, Math.ceil));
}

function outwards(value, round) {
  let [digits, rounded] = [0, round(value)];
  while (rounded === 0 && value !== 0 && digits < 20) {
    digits += 1;
    rounded = round(value * 10 ** digits) / 10 ** digits;
  }
  return realMinus(number({ minimumFractionDigits: digits, maximumFractionDigits: digits, signDisplay: "exceptZero" }))(rounded);
}

// Formats a part of a whole as a percentage; there is none of nothing.
export function share(part, all) {
  if (all === 0) return "\u2013";
  return (part === 0 || part === all ? FORMATS.wholePercent : FORMATS.percent).format(part / all);
}

// Formats a number and its noun, such as `1 response` or `2 responses`.
export function counted(value, noun) {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

// Isolates a text that a record has, which may be written from right to left, from the numbers beside it.
export function isolated(text) {
  return `\u2068${text.replace(/[\u2066-\u2069]/g, "")}\u2069`;
}

// Formats how often the survey was shown.
export function shown(value) {
  return `${counted(value, "survey")} shown`;
}

// Formats how many responses there are of a kind, such as `1 promoter`.
export function ofKind(value, kind) {
  return counted(value, kind.slice(0, -1));
}

export function day(value) {
  return DATES.day.format(atUtc(value));
}

// Formats a period with its last day.
export function dates({ start, end }) {
  return DATES.day.formatRange(atUtc(start), atUtc(addDays(end, -1)));
}

// Returns the date on which an instant of an answer falls in a zone. The answer says it, except where
// an old offset has seconds: such an instant is in UTC.
export function localDate(instant, zone) {
  return instant.endsWith("Z") && zone !== "UTC" ? dateIn(new Date(instant), zone) : instant.slice(0, 10);
}

// Returns the date of an instant in a zone, or in UTC if the browser does not know the zone.
export function dateIn(instant, zone) {
  const options = { calendar: "iso8601", numberingSystem: "latn", year: "numeric", month: "2-digit", day: "2-digit" };
  const parts = inZone(options, zone).formatToParts(instant);
  const part = (type) => parts.find((one) => one.type === type).value;
  return `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`;
}

// Formats an instant in a zone, or in UTC, and says so, if the browser does not know the zone.
export function time(instant, zone, options = {}) {
  const format = inZone({ ...options, hour: "numeric", minute: "2-digit" }, zone);
  return `${format.format(instant)}${format.resolvedOptions().timeZone === "UTC" ? " UTC" : ""}`;
}

function inZone(options, zone) {
  try {
    return new Intl.DateTimeFormat(LOCALE, { ...options, timeZone: zone });
  } catch {
    return new Intl.DateTimeFormat(LOCALE, { ...options, timeZone: "UTC" });
  }
}

// Names the interval that begins at a date, such as `May 2015` or `Q2 2015`.
export function intervalName(interval, start) {
  const at = atUtc(start);
  switch (interval) {
    case "day":
      return DATES.day.format(at);
    case "week":
      return `week of ${DATES.day.format(at)}`;
    case "month":
      return DATES.month.format(at);
    case "quarter":
      return `Q${1 + Math.floor(at.getUTCMonth() / 3)} ${DATES.year.format(at)}`;
    default:
      return DATES.year.format(at);
  }
}

// Returns the label of an interval on an axis, and the year under it where it is the first of one.
export function tick(interval, start, previous) {
  const at = atUtc(start);
  const year = !previous || previous.slice(0, 4) !== start.slice(0, 4) ? DATES.year.format(at) : "";
  switch (interval) {
    case "day":
    case "week":
      return [DATES.dayOfMonth.format(at), year];
    case "month":
      return [DATES.shortMonth.format(at), year];
    case "quarter":
      return [`Q${1 + Math.floor(at.getUTCMonth() / 3)}`, year];
    default:
      return [DATES.year.format(at), ""];
  }
}

// Returns whether an interval is cut by the period's start or end.
export function isCut({ interval, weekStart }, start, end) {
  const first = startOf(interval, start, weekStart);
  return first !== start || next(interval, first) > end;
}
