//! The days that words mean, found one by one.

use chrono::{DateTime, Datelike as _, NaiveDate, TimeDelta, Utc};
use model::{Period, Zone};

use super::PeriodWord;

/// Tells which unit of the calendar a date is of.
fn unit_of(date: NaiveDate, unit: &str) -> (i32, u32) {
    let week = date.iso_week();
    match unit {
        "day" => (date.num_days_from_ce(), 0),
        "week" => (week.year(), week.week()),
        "month" => (date.year(), date.month()),
        "quarter" => (
            date.year(),
            [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4][date.month0() as usize],
        ),
        _ => (date.year(), 0),
    }
}

/// A period of days, and the one with which `compare=previous` compares it.
type Days = [Vec<NaiveDate>; 2];

/// Returns the days of so many units, the last of which is that of a day, and of as many before.
fn days_of(unit: &str, count: usize, day: NaiveDate, today: NaiveDate) -> Days {
    let all: Vec<_> = (-1500..400).map(|n| day + TimeDelta::days(n)).collect();
    let units: Vec<_> = all
        .chunk_by(|one, other| unit_of(*one, unit) == unit_of(*other, unit))
        .collect();
    let last = units.iter().position(|days| days.contains(&day)).unwrap();
    let [mut dates, mut previous] = [last + 1, last + 1 - count].map(|end| {
        units[end - count..end]
            .iter()
            .map(|days| days.to_vec())
            .collect::<Vec<_>>()
    });
    let running = dates.last_mut().unwrap();
    if running.contains(&today) && running.last() != Some(&today) {
        running.retain(|date| *date <= today);
        previous.last_mut().unwrap().truncate(running.len());
    }
    [dates.concat(), previous.concat()]
}

/// Returns words with the days that each means.
fn words(today: NaiveDate) -> Vec<(String, Days)> {
    let mut words = Vec::new();
    for unit in ["week", "month", "quarter", "year"] {
        words.push((format!("this-{unit}"), days_of(unit, 1, today, today)));
        let days = (1..400).map(|n| today - TimeDelta::days(n));
        let mut before = days.filter(|day| unit_of(*day, unit) != unit_of(today, unit));
        let last = days_of(unit, 1, before.next().unwrap(), today);
        words.push((format!("last-{unit}"), last));
    }
    for (word, unit, count) in [
        ("1d", "day", 1),
        ("30d", "day", 30),
        ("12w", "day", 84),
        ("1mo", "month", 1),
        ("2mo", "month", 2),
        ("6mo", "month", 6),
        ("1y", "month", 12),
    ] {
        words.push((word.to_owned(), days_of(unit, count, today, today)));
    }
    for day in [-380, -40, -8, 0, 8, 300].map(|n| today + TimeDelta::days(n)) {
        let (year, quarter) = unit_of(day, "quarter");
        let (week_year, week) = unit_of(day, "week");
        for (word, unit) in [
            (format!("{year}"), "year"),
            (format!("{year}-Q{quarter}"), "quarter"),
            (day.format("%Y-%m").to_string(), "month"),
            (format!("{week_year}-W{week:02}"), "week"),
        ] {
            words.push((word, days_of(unit, 1, day, today)));
        }
    }
    words
}

#[test]
fn a_word_means_the_days_of_its_unit_until_today_and_is_compared_with_as_many_before() {
    let zones = ["UTC", "Asia/Tokyo", "America/Los_Angeles"];
    // Ends of months, leap days, the first and last days of years, changes of clocks, and the midnights of zones.
    for (now, dates) in [
        ("2026-11-15T12:00:00Z", ["2026-11-15"; 3]),
        ("2026-11-30T08:00:00Z", ["2026-11-30"; 3]),
        ("2026-10-01T07:00:00Z", ["2026-10-01"; 3]),
        ("2026-03-31T12:00:00Z", ["2026-03-31"; 3]),
        ("2026-03-30T12:00:00Z", ["2026-03-30"; 3]),
        ("2028-02-29T12:00:00Z", ["2028-02-29"; 3]),
        ("2028-03-31T12:00:00Z", ["2028-03-31"; 3]),
        (
            "2028-02-28T23:30:00Z",
            ["2028-02-28", "2028-02-29", "2028-02-28"],
        ),
        ("2026-12-31T12:00:00Z", ["2026-12-31"; 3]),
        (
            "2027-01-01T00:00:00Z",
            ["2027-01-01", "2027-01-01", "2026-12-31"],
        ),
        ("2027-01-03T12:00:00Z", ["2027-01-03"; 3]),
        ("2027-01-04T12:00:00Z", ["2027-01-04"; 3]),
        ("2026-03-08T10:30:00Z", ["2026-03-08"; 3]),
        (
            "2026-11-01T15:30:00Z",
            ["2026-11-01", "2026-11-02", "2026-11-01"],
        ),
    ] {
        let now: DateTime<Utc> = now.parse().unwrap();
        for (name, today) in zones.into_iter().zip(dates) {
            let zone: Zone = name.parse().unwrap();
            assert_eq!(zone.local(now).date().to_string(), today, "{name}");
            for (word, days) in words(today.parse().unwrap()) {
                let of = |period: Period| {
                    [period.start, period.end].map(|at| zone.local(at.into()).to_string())
                };
                let parsed: PeriodWord = word.parse().unwrap();
                let named = parsed.on(zone.local(now).date(), &zone).unwrap();
                let expected = days.map(|days| {
                    let end = *days.last().unwrap() + TimeDelta::days(1);
                    [days[0], end].map(|date| format!("{date} 00:00:00"))
                });
                let found = [of(named.period), of(named.previous.unwrap())];
                assert_eq!(found, expected, "{word} in {name} at {now}");
            }
        }
    }
}
