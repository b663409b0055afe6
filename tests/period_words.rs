//! Words that name a period (contract, section 4): which days they mean on which day, and with which they are compared.
//! Expected days are found one by one.

use chrono::{DateTime, Datelike, NaiveDate, TimeDelta, Utc};
use http::Request;
use serde_json::{Value, json};
use service::{App, Call};

use crate::support::{
    Operation, Reply, STATISTICS, app_of, check_ids, check_statistics, empty_app, handle,
};

/// Asks at this instant.
async fn ask_at(app: &App, now: DateTime<Utc>, query: &str) -> Reply {
    let request = Request::get(format!("{STATISTICS}?project=p&{query}"));
    let (parts, ()) = request
        .header("AuthKey", "any key")
        .body(())
        .unwrap()
        .into_parts();
    let now = now.to_rfc3339().parse().unwrap();
    handle(app, Operation::Statistics, Call::from_http(parts, now)).await
}

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

#[tokio::test]
async fn a_word_means_the_days_of_its_unit_until_today_and_is_compared_with_as_many_before() {
    let app = empty_app();
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
        for (zone, today) in zones.into_iter().zip(dates) {
            for (word, days) in words(today.parse().unwrap()) {
                let query = format!("period={word}&timezone={zone}&compare=previous");
                let reply = ask_at(&app, now.parse().unwrap(), &query).await;
                let element = &reply.elements()[0];
                let found = [element, &element["before"]].map(|of| {
                    ["start", "end"].map(|name| of[name].as_str().unwrap()[..23].to_owned())
                });
                let expected = days.map(|days| {
                    let end = *days.last().unwrap() + TimeDelta::days(1);
                    [days[0], end].map(|date| format!("{date}T00:00:00.000"))
                });
                assert_eq!(found, expected, "{query} at {now}");
            }
        }
    }
}

#[tokio::test]
async fn a_word_means_the_same_instants_all_day_also_on_a_day_without_midnight() {
    // In Cairo, clocks went from 00:00 to 01:00 on 24 April 2026, and from 24:00 to 23:00 on 29 October.
    let app = empty_app();
    for (first, last, start, end) in [
        (
            "2026-04-23T22:00:00Z",
            "2026-04-24T20:59:59.999Z",
            "2026-04-24T01:00:00.000+03:00",
            "2026-04-25T00:00:00.000+03:00",
        ),
        (
            "2026-10-28T21:00:00Z",
            "2026-10-29T21:59:59.999Z",
            "2026-10-29T00:00:00.000+03:00",
            "2026-10-30T00:00:00.000+02:00",
        ),
    ] {
        let query = "period=1d&timezone=Africa/Cairo";
        let [one, other] = [first, last].map(|now| ask_at(&app, now.parse().unwrap(), query));
        let (one, other) = (one.await, other.await);
        let element = &one.elements()[0];
        assert_eq!(
            [&element["start"], &element["end"]],
            [&json!(start), &json!(end)]
        );
        assert_eq!(one.text(), other.text());
    }
}

#[tokio::test]
async fn a_word_has_the_figures_of_its_dates_however_they_are_divided() {
    let at = |day: &str| format!("2026-{day}T12:00:00.000Z");
    let plan = json!({"rating": {"N": "9"}, "traits": {"M": {"plan": {"S": "pro"}}}});
    let days = ["08-31", "09-01", "09-30", "10-01"].map(at);
    let records: Vec<_> = days.iter().map(|at| (&**at, plan.clone())).collect();
    let app = app_of(&records);
    let now = "2026-11-15T12:00:00Z".parse().unwrap();
    let text = async |query: String| ask_at(&app, now, &query).await.text().to_owned();
    for more in [
        "interval=all",
        "interval=week&weekStart=sunday",
        "interval=day&window=7d",
        "groupBy=plan&interval=all",
        "respondents=latest&confidence=95&interval=all",
        "describe=traits",
    ] {
        let dated = text(format!("startDate=2026-09-01&endDate=2026-10-01&{more}")).await;
        assert!(dated.contains(r#""displays":2"#) || more.starts_with("interval="));
        assert_eq!(
            text(format!("period=2026-09&{more}")).await,
            dated,
            "{more}"
        );
    }
    let whole = "startDate=2026-09-01&endDate=2026-10-01&interval=all".to_owned();
    assert_eq!(text("period=2026-09".to_owned()).await, text(whole).await);
}

#[tokio::test]
async fn a_period_may_be_compared_with_that_of_a_word() {
    let app = empty_app();
    for (query, start, end) in [
        (
            "startDate=2026-07-01&endDate=2026-10-01&compare=2026-Q2",
            "2026-04-01",
            "2026-07-01",
        ),
        (
            "period=last-month&compare=this-month",
            "2026-11-01",
            "2026-11-16",
        ),
        ("period=2025-Q3&compare=30d", "2026-10-17", "2026-11-16"),
        (
            "period=this-year&compare=last-year",
            "2025-01-01",
            "2026-01-01",
        ),
        ("period=this-year&compare=year", "2025-01-01", "2025-11-16"),
        (
            "period=2026-09&compare=2026-01-05/2026-01-09",
            "2026-01-05",
            "2026-01-09",
        ),
    ] {
        let now = "2026-11-15T12:00:00Z".parse().unwrap();
        let before = ask_at(&app, now, query).await.elements()[0]["before"].clone();
        let midnight = |date| Value::from(format!("{date}T00:00:00.000Z"));
        assert_eq!(
            [&before["start"], &before["end"]],
            [&midnight(start), &midnight(end)],
            "{query}"
        );
    }
}

#[tokio::test]
async fn other_words_are_refused() {
    let app = empty_app();
    let table = "
        period={ d 0d -1d %2B1d 1.5d 30 30D 12m 10000d 26 2026- 2026-Q0 2026-Q5 2026-q3} | invalid period
        period={2026-Q03 2026Q3 2026-13 2026-00 2026-9 2026-W00 2025-W53 2026-W1 2026-09-01} | invalid period
        period={Q3 last%20quarter last-day this-all this-day next-week This-week last- previous} | invalid period
        period={%EF%BC%92026 1%C3%A9 2026/2027} | invalid period
        period=Q3 | invalid period | must be a period such as 2026, 2026-Q3, 2026-09, 2026-W41, 30d, 12w, 6mo, 1y, this-month or last-quarter, got
        period={0000 9999 9999-12 9999y} | invalid period | must be a period of the years 0001 to 9999
        period=0001&timezone=Asia/Tokyo | invalid period
        period={0001 9998 9999-Q3} | 0
        period=2020&startDate=2020-01-01 | invalid period | cannot be combined with startDate
        period=2020&{endDate=2021-01-01 endDate=2021-01-01&startDate=2020-01-01} | invalid period
        period=x&startDate=x | invalid period, invalid startDate
        period=2020&timezone=x&interval=day | invalid timezone
        period=2020&period=2021 | duplicate period
        period=2020&weekStart=sunday | missing interval
        period=2020&window=7d | missing interval
        period=2020&interval=day&groupBy=a&groupLimit=100 | invalid groupLimit
        period=2020&compare={2020 2020-03 2019-07-01/2020-07-01} | invalid compare | does not overlap
        period=2020&compare={Q3 2026-Q5 none} | invalid compare | or a period such as 2026-Q3
        period=2020&compare=9999 | invalid compare | must be a period of the years 0001 to 9999
        period=0001&compare=previous | invalid compare | must be a period of the years 0001 to 9999
        period=2020&compare=previous&interval=all | invalid compare
    ";
    check_statistics(&app, table).await;
}

#[tokio::test]
async fn the_id_of_a_word_has_its_instants_and_those_that_it_is_compared_with() {
    let table = r#"
        {period=2020-Q3 startDate=2020-07-01&endDate=2020-10-01&interval=all}
        ["p","2020-07-01T00:00:00.000Z","2020-10-01T00:00:00.000Z",[],["all","UTC",null,null,null,null],[null,null,null]]
        period=2020-03&{compare=previous compare=2020-02 compare=2020-02-01/2020-03-01}
        ["p","2020-03-01T00:00:00.000Z","2020-04-01T00:00:00.000Z",[],["all","UTC",null,null,null,null],[null,null,null],["compare",["2020-02-01T00:00:00.000Z","2020-03-01T00:00:00.000Z"]]]
        period=2020-03&compare=year
        ["p","2020-03-01T00:00:00.000Z","2020-04-01T00:00:00.000Z",[],["all","UTC",null,null,null,null],[null,null,null],["compare",["2019-03-01T00:00:00.000Z","2019-04-01T00:00:00.000Z"]]]
        startDate=2020-03-01&endDate=2020-04-01&compare=2020-02
        ["p","2020-03-01T00:00:00.000Z","2020-04-01T00:00:00.000Z",[],[null,"UTC",null,null,null,null],[null,null,null],["compare",["2020-02-01T00:00:00.000Z","2020-03-01T00:00:00.000Z"]]]
    "#;
    check_ids(&empty_app(), table).await;
}
