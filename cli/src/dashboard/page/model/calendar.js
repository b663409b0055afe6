// Calendar dates as text (`2026-03-01`), and arithmetic on them. No clock and no time zone is involved.

const FORM = /^(\d{4})-(\d\d)-(\d\d)$/;

// Returns the midnight of a date in UTC, for arithmetic and for formatting.
export function atUtc(date) {
  const [, year, month, day] = FORM.exec(date).map(Number);
  return utc(year, month - 1, day);
}

// `Date.UTC` would take the years 0 to 99 as 1900 to 1999.
function utc(year, month, day) {
  const midnight = new Date(0);
  midnight.setUTCFullYear(year, month, day);
  return midnight;
}

function text(midnight) {
  return midnight.toISOString().slice(0, 10);
}

// Returns whether a text is a date of the years 0001 to 9999.
export function isDate(value) {
  return FORM.test(value) && value >= "0001" && text(atUtc(value)) === value;
}

export function addDays(date, days) {
  const midnight = atUtc(date);
  midnight.setUTCDate(midnight.getUTCDate() + days);
  return text(midnight);
}

// Returns the same day of another month, or that month's last day if it is shorter.
export function addMonths(date, months) {
  const from = atUtc(date);
  const [year, month] = [from.getUTCFullYear(), from.getUTCMonth() + months];
  const last = utc(year, month + 1, 0).getUTCDate();
  return text(utc(year, month, Math.min(from.getUTCDate(), last)));
}

// Returns the number of days from one date to another.
export function daysBetween(start, end) {
  return Math.round((atUtc(end) - atUtc(start)) / 86_400_000);
}

// Returns the first date of the calendar interval in which a date lies.
export function startOf(interval, date, weekStart = "monday") {
  const at = atUtc(date);
  switch (interval) {
    case "day":
      return date;
    case "week":
      return addDays(date, -((at.getUTCDay() + (weekStart === "sunday" ? 0 : 6)) % 7));
    case "month":
      return `${date.slice(0, 8)}01`;
    case "quarter":
      return text(utc(at.getUTCFullYear(), at.getUTCMonth() - (at.getUTCMonth() % 3), 1));
    default:
      return `${date.slice(0, 5)}01-01`;
  }
}

const MONTHS = { month: 1, quarter: 3, year: 12 };

// Returns the first date of the calendar interval after the one that begins at `start`.
export function next(interval, start) {
  const months = MONTHS[interval];
  return months ? addMonths(start, months) : addDays(start, interval === "week" ? 7 : 1);
}
