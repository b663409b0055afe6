//! Calendar intervals of a period (contract, section 4), by named zones. Every zone of the tz database is
//! compared with another implementation in the crate itself.

use crate::support::{Api, intervals, new_project, problem, problems};

/// Checks that the intervals of a query are adjacent and begin at these instants, the last of which is
/// the end. Instants lack `:00.000`.
async fn check(query: &str, begins: &str) {
    let whole = |short: &str| format!("{}:00.000{}", &short[..16], &short[16..]);
    let begins: Vec<_> = begins.split_whitespace().map(whole).collect();
    let expected: Vec<_> = begins
        .windows(2)
        .map(|pair| (pair[0].clone(), pair[1].clone()))
        .collect();
    let project = new_project().await;
    assert_eq!(intervals(&project, query).await, expected, "{query}");
}

/// Checks the days of a zone from one date until another.
async fn check_days(zone: &str, start: &str, end: &str, begins: &str) {
    let query = format!("&interval=day&timezone={zone}&startDate={start}&endDate={end}");
    check(&query, begins).await;
}

#[tokio::test]
async fn days_have_as_many_hours_as_the_clocks_give_them() {
    let begins = "2026-03-28T00:00+01:00 2026-03-29T00:00+01:00 2026-03-30T00:00+02:00 2026-03-31T00:00+02:00";
    check_days("Europe/Prague", "2026-03-28", "2026-03-31", begins).await;
    let begins = "2026-11-01T00:00-04:00 2026-11-02T00:00-05:00 2026-11-03T00:00-05:00";
    check_days("America/New_York", "2026-11-01", "2026-11-03", begins).await;
    // Half an hour.
    let begins = "2025-04-06T00:00+11:00 2025-04-07T00:00+10:30 2025-04-08T00:00+10:30";
    check_days("Australia/Lord_Howe", "2025-04-06", "2025-04-08", begins).await;
    // During Ramadan, clocks are an hour behind.
    let begins = "2026-02-14T00:00+01:00 2026-02-15T00:00+01:00 2026-02-16T00:00+00:00 2026-02-17T00:00+00:00";
    check_days("Africa/Casablanca", "2026-02-14", "2026-02-17", begins).await;
    // The last rule of a zone has no end.
    let begins = "2150-10-25T00:00+02:00 2150-10-26T00:00+01:00 2150-10-27T00:00+01:00";
    check_days("Europe/Prague", "2150-10-25", "2150-10-27", begins).await;
}

#[tokio::test]
async fn a_day_whose_midnight_is_skipped_begins_after_the_gap() {
    let begins = "2022-03-26T00:00+02:00 2022-03-27T01:00+03:00 2022-03-28T00:00+03:00";
    check_days("Asia/Beirut", "2022-03-26", "2022-03-28", begins).await;
    let begins = "2018-11-03T00:00-03:00 2018-11-04T01:00-02:00 2018-11-05T00:00-02:00";
    check_days("America/Sao_Paulo", "2018-11-03", "2018-11-05", begins).await;
    // A quarter of an hour.
    let begins = "1985-12-31T00:00+05:30 1986-01-01T00:15+05:45 1986-01-02T00:00+05:45";
    check_days("Asia/Kathmandu", "1985-12-31", "1986-01-02", begins).await;
}

#[tokio::test]
async fn a_day_whose_midnight_comes_twice_begins_with_the_first() {
    let begins = "2025-11-01T00:00-04:00 2025-11-02T00:00-04:00 2025-11-03T00:00-05:00";
    check_days("America/Havana", "2025-11-01", "2025-11-03", begins).await;
    // Clocks go back when they would show midnight, so they show it once.
    let begins = "2018-02-17T00:00-02:00 2018-02-18T00:00-03:00 2018-02-19T00:00-03:00";
    check_days("America/Sao_Paulo", "2018-02-17", "2018-02-19", begins).await;
    // Clocks went back at 00:01, when the new day had begun already.
    let begins = "2010-11-06T00:00-02:30 2010-11-07T00:00-02:30 2010-11-08T00:00-03:30";
    check_days("America/St_Johns", "2010-11-06", "2010-11-08", begins).await;
}

#[tokio::test]
async fn a_period_that_begins_in_a_repeated_hour_begins_in_the_interval_that_has_begun_already() {
    // For the second time, clocks show half past eleven in the evening of 6 November.
    let begins = "2010-11-06T23:30-03:30 2010-11-08T00:00-03:30";
    check_days(
        "America/St_Johns",
        "2010-11-07T03:00Z",
        "2010-11-08",
        begins,
    )
    .await;
    // For the first time.
    let begins = "2010-11-06T23:30-02:30 2010-11-07T00:00-02:30 2010-11-08T00:00-03:30";
    check_days("America/St_Johns", "2010-11-06T23:30", "2010-11-08", begins).await;
    let begins = "2010-10-31T23:30-02:30 2010-11-01T00:00-02:30 2010-12-01T00:00-03:30";
    let months =
        "&interval=month&timezone=America/St_Johns&startDate=2010-10-31T23:30&endDate=2010-12-01";
    check(months, begins).await;
}

#[tokio::test]
async fn a_date_that_a_zone_skipped_is_no_interval() {
    let begins = "2011-12-29T00:00-10:00 2011-12-31T00:00+14:00 2012-01-01T00:00+14:00";
    check_days("Pacific/Apia", "2011-12-29", "2012-01-01", begins).await;
    // The skipped date is the instant at which the gap ends.
    check_days("Pacific/Apia", "2011-12-30", "2011-12-31", "").await;
    // A Friday was skipped. Clocks skipped New Year's Eve, a Saturday, on Kiritimati.
    let begins = "2011-12-26T00:00-10:00 2012-01-02T00:00+14:00";
    check(
        "&interval=week&timezone=Pacific/Apia&startDate=2011-12-26&endDate=2012-01-02",
        begins,
    )
    .await;
    let begins = "1994-12-30T00:00-10:00 1995-01-01T00:00+14:00 1995-01-02T00:00+14:00";
    check_days("Pacific/Kiritimati", "1994-12-30", "1995-01-02", begins).await;
}

#[tokio::test]
async fn weeks_begin_on_monday_or_on_sunday() {
    let weeks =
        "&interval=week&timezone=Europe/Prague&startDate=2026-03-18&endDate=2026-04-01T12:00";
    let begins = "2026-03-18T00:00+01:00 2026-03-23T00:00+01:00 2026-03-30T00:00+02:00 2026-04-01T12:00+02:00";
    check(weeks, begins).await;
    check(&format!("{weeks}&weekStart=monday"), begins).await;
    let begins = "2026-03-18T00:00+01:00 2026-03-22T00:00+01:00 2026-03-29T00:00+01:00 2026-04-01T12:00+02:00";
    check(&format!("{weeks}&weekStart=sunday"), begins).await;
}

#[tokio::test]
async fn months_quarters_and_years_are_cut_to_the_period() {
    let period = "&timezone=America/New_York&startDate=2025-02-10T06:30Z&endDate=2026-05-01T00:00";
    let months: Vec<_> = (3..=12)
        .map(|month| format!("2025-{month:02}-01T00:00"))
        .chain((1..=5).map(|month| format!("2026-{month:02}-01T00:00")))
        .map(|midnight| {
            let summer = ("04".."12").contains(&&midnight[5..7]);
            midnight + if summer { "-04:00" } else { "-05:00" }
        })
        .collect();
    let begins = format!("2025-02-10T01:30-05:00 {}", months.join(" "));
    check(&format!("{period}&interval=month"), &begins).await;
    let quarters = "2025-04-01T00:00-04:00 2025-07-01T00:00-04:00 2025-10-01T00:00-04:00 2026-01-01T00:00-05:00";
    let begins =
        format!("2025-02-10T01:30-05:00 {quarters} 2026-04-01T00:00-04:00 2026-05-01T00:00-04:00");
    check(&format!("{period}&interval=quarter"), &begins).await;
    let begins = "2025-02-10T01:30-05:00 2026-01-01T00:00-05:00 2026-05-01T00:00-04:00";
    check(&format!("{period}&interval=year"), begins).await;
}

#[tokio::test]
async fn a_period_within_an_interval_is_one_element_and_an_empty_period_none() {
    let begins = "2026-03-01T00:00Z 2026-03-01T00:01Z";
    check(
        "&interval=year&startDate=2026-03-01&endDate=2026-03-01T00:01",
        begins,
    )
    .await;
    let project = new_project().await;
    for empty in [
        "&startDate=2026-03-01&endDate=2026-03-01",
        "&startDate=9999-12-31",
    ] {
        let query = format!("&interval=day{empty}");
        let reply = Api::shared().statistics(&project, &query).await;
        assert_eq!(
            (reply.status.as_u16(), reply.text()),
            (200, r#"{"data":[]}"#)
        );
    }
}

#[tokio::test]
async fn the_first_and_the_last_year_have_intervals() {
    let weeks = "&interval=week&weekStart=sunday&startDate=0001-01-01&endDate=0001-01-08";
    check(
        weeks,
        "0001-01-01T00:00Z 0001-01-07T00:00Z 0001-01-08T00:00Z",
    )
    .await;
    let begins = "9999-12-31T00:00-05:00 9999-12-31T12:00-05:00";
    check_days("America/New_York", "9999-12-31", "9999-12-31T12:00", begins).await;
    // The clocks of Kiritimati are in the year 10000 already, which has no form.
    let begins = "9999-12-31T00:00+14:00 9999-12-31T23:59Z";
    check_days(
        "Pacific/Kiritimati",
        "9999-12-31",
        "9999-12-31T23:59Z",
        begins,
    )
    .await;
}

#[tokio::test]
async fn a_thousand_intervals_are_the_most() {
    let project = new_project().await;
    let days = async |end: &str| {
        let query = format!("&interval=day&startDate=2020-01-01&endDate={end}");
        Api::shared().statistics(&project, &query).await
    };
    let reply = days("2022-09-27").await;
    assert_eq!(reply.json()["data"].as_array().unwrap().len(), 1000);
    for end in ["2022-09-27T00:00:00.001", "9999-12-31"] {
        assert_eq!(
            problems(&days(end).await),
            problem("invalid_parameter", "interval"),
            "{end}"
        );
    }
}
