//! Names of periods, in the calendar of a zone.

use chrono::{Datelike as _, NaiveDate, NaiveDateTime, NaiveTime};
use model::{Period, Unit, WeekStart, Zone};

/// Names a period beside the present one: `March 2026`, `Q3 2026`, `2026` or `March to July 2026`; `the 30 days before`
/// if it ends where the present one begins; or its dates, `1–15 Nov 2026`.
pub(crate) fn name(period: Period, present: Period, zone: &Zone) -> String {
    let [start, end] = [period.start, period.end].map(|at| zone.clock(at));
    if let Some(name) = of_months(start, end) {
        return name;
    }
    if period.end == present.start && start.time() == end.time() {
        return match (end.date() - start.date()).num_days() {
            1 => "the day before".to_owned(),
            days => format!("the {days} days before"),
        };
    }
    of_days(start, end)
}

/// Names a period by its months or, if these are not whole, by its days.
#[must_use]
pub fn words(start: NaiveDateTime, end: NaiveDateTime) -> String {
    of_months(start, end).unwrap_or_else(|| of_days(start, end))
}

/// Names a period of whole months of the calendar.
fn of_months(start: NaiveDateTime, end: NaiveDateTime) -> Option<String> {
    let begins_month = |at: &NaiveDateTime| at.day() == 1 && at.time() == NaiveTime::MIN;
    if start >= end || ![start, end].iter().all(begins_month) {
        return None;
    }
    let last = end.date().pred_opt()?;
    let years = last.year() - start.year();
    let months = 12 * years + last.month().cast_signed() - start.month().cast_signed() + 1;
    let date = start.date();
    let begins_quarter = Unit::Quarter.first_date(date, WeekStart::default()) == date;
    let first_month = if years == 0 { "%B" } else { "%B %Y" };
    Some(match (months, start.month0()) {
        (12, 0) => start.year().to_string(),
        (3, _) if begins_quarter => format!("Q{} {}", start.quarter(), start.year()),
        (1, _) => last.format("%B %Y").to_string(),
        _ => format!("{} to {}", start.format(first_month), last.format("%B %Y")),
    })
}

/// Names a period by its first and its last day, or, if its days are not whole, by its instants.
fn of_days(start: NaiveDateTime, end: NaiveDateTime) -> String {
    let last = end.date().pred_opt().filter(|last| {
        let are_whole = [start, end].map(|at| at.time()) == [NaiveTime::MIN; 2];
        are_whole && *last >= start.date()
    });
    let Some(last) = last else {
        let instant = "%-d %b %Y %H:%M";
        return format!("{} – {}", start.format(instant), end.format(instant));
    };
    let first = start.date();
    let first_day = match [first, last].map(|date| (date.year(), date.month())) {
        _ if first == last => return day(last),
        [one, other] if one == other => "%-d–",
        [(one, _), (other, _)] if one == other => "%-d %b – ",
        _ => "%-d %b %Y – ",
    };
    format!("{}{}", first.format(first_day), day(last))
}

/// Writes a date.
pub(crate) fn day(date: NaiveDate) -> String {
    date.format("%-d %b %Y").to_string()
}
