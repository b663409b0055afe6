//! Calendar intervals of a period (contract, section 4), by named zones. Every zone of the tz database is
//! compared with another implementation in the crate itself.

use serde_json::Value;

use crate::support::{Api, Project, problem, problems};

/// Returns the start and the end of each interval.
async fn intervals(project: &Project, query: &str) -> Vec<(String, String)> {
    let reply = Api::shared().statistics(project, query).await;
    assert_eq!(reply.status, 200, "{query} {reply:?}");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let data = reply.json()["data"].as_array().unwrap().clone();
    data.iter()
        .map(|element| &element["attributes"])
        .map(|attributes| (text(&attributes["start"]), text(&attributes["end"])))
        .collect()
}

/// Checks that these days of a zone begin at these instants: adjacent ones and, last, the end.
async fn assert_days(zone: &str, dates: [&str; 2], begins: &[&str]) {
    let project = Project::new().await;
    let [start, end] = dates;
    let query = format!("&interval=day&timezone={zone}&startDate={start}&endDate={end}");
    assert_adjacent(&intervals(&project, &query).await, begins);
}

#[track_caller]
fn assert_adjacent(intervals: &[(String, String)], begins: &[&str]) {
    let expected: Vec<_> = begins
        .windows(2)
        .map(|pair| (pair[0].to_owned(), pair[1].to_owned()))
        .collect();
    assert_eq!(intervals, expected);
}

#[tokio::test]
async fn days_begin_at_local_midnight_and_have_as_many_hours_as_the_clocks_give_them() {
    assert_days(
        "Europe/Prague",
        ["2026-03-28", "2026-03-31"],
        &[
            "2026-03-28T00:00:00.000+01:00",
            "2026-03-29T00:00:00.000+01:00",
            "2026-03-30T00:00:00.000+02:00",
            "2026-03-31T00:00:00.000+02:00",
        ],
    )
    .await;
    assert_days(
        "America/New_York",
        ["2026-11-01", "2026-11-03"],
        &[
            "2026-11-01T00:00:00.000-04:00",
            "2026-11-02T00:00:00.000-05:00",
            "2026-11-03T00:00:00.000-05:00",
        ],
    )
    .await;
    // Half an hour.
    assert_days(
        "Australia/Lord_Howe",
        ["2025-04-06", "2025-04-08"],
        &[
            "2025-04-06T00:00:00.000+11:00",
            "2025-04-07T00:00:00.000+10:30",
            "2025-04-08T00:00:00.000+10:30",
        ],
    )
    .await;
    // During Ramadan, clocks are an hour behind.
    assert_days(
        "Africa/Casablanca",
        ["2026-02-14", "2026-02-17"],
        &[
            "2026-02-14T00:00:00.000+01:00",
            "2026-02-15T00:00:00.000+01:00",
            "2026-02-16T00:00:00.000+00:00",
            "2026-02-17T00:00:00.000+00:00",
        ],
    )
    .await;
    // The last rule of a zone goes on for ever.
    assert_days(
        "Europe/Prague",
        ["2150-10-25", "2150-10-27"],
        &[
            "2150-10-25T00:00:00.000+02:00",
            "2150-10-26T00:00:00.000+01:00",
            "2150-10-27T00:00:00.000+01:00",
        ],
    )
    .await;
}

#[tokio::test]
async fn a_day_whose_midnight_is_skipped_begins_after_the_gap() {
    assert_days(
        "Asia/Beirut",
        ["2022-03-26", "2022-03-28"],
        &[
            "2022-03-26T00:00:00.000+02:00",
            "2022-03-27T01:00:00.000+03:00",
            "2022-03-28T00:00:00.000+03:00",
        ],
    )
    .await;
    assert_days(
        "America/Sao_Paulo",
        ["2018-11-03", "2018-11-05"],
        &[
            "2018-11-03T00:00:00.000-03:00",
            "2018-11-04T01:00:00.000-02:00",
            "2018-11-05T00:00:00.000-02:00",
        ],
    )
    .await;
    // A quarter of an hour, with the offset.
    assert_days(
        "Asia/Kathmandu",
        ["1985-12-31", "1986-01-02"],
        &[
            "1985-12-31T00:00:00.000+05:30",
            "1986-01-01T00:15:00.000+05:45",
            "1986-01-02T00:00:00.000+05:45",
        ],
    )
    .await;
}

#[tokio::test]
async fn a_day_whose_midnight_comes_twice_begins_with_the_first() {
    assert_days(
        "America/Havana",
        ["2025-11-01", "2025-11-03"],
        &[
            "2025-11-01T00:00:00.000-04:00",
            "2025-11-02T00:00:00.000-04:00",
            "2025-11-03T00:00:00.000-05:00",
        ],
    )
    .await;
    // Clocks go back when they would show midnight, so they show it once.
    assert_days(
        "America/Sao_Paulo",
        ["2018-02-17", "2018-02-19"],
        &[
            "2018-02-17T00:00:00.000-02:00",
            "2018-02-18T00:00:00.000-03:00",
            "2018-02-19T00:00:00.000-03:00",
        ],
    )
    .await;
    // Clocks went back at 00:01, so the new day had begun already.
    assert_days(
        "America/St_Johns",
        ["2010-11-06", "2010-11-08"],
        &[
            "2010-11-06T00:00:00.000-02:30",
            "2010-11-07T00:00:00.000-02:30",
            "2010-11-08T00:00:00.000-03:30",
        ],
    )
    .await;
}

#[tokio::test]
async fn a_period_that_begins_in_a_repeated_hour_begins_with_the_interval_that_has_begun_already() {
    let project = Project::new().await;
    // For the second time, clocks show half past eleven in the evening of 6 November.
    let query =
        "&interval=day&timezone=America/St_Johns&startDate=2010-11-07T03:00Z&endDate=2010-11-08";
    assert_adjacent(
        &intervals(&project, query).await,
        &[
            "2010-11-06T23:30:00.000-03:30",
            "2010-11-08T00:00:00.000-03:30",
        ],
    );
    // For the first time.
    let query =
        "&interval=day&timezone=America/St_Johns&startDate=2010-11-06T23:30&endDate=2010-11-08";
    assert_adjacent(
        &intervals(&project, query).await,
        &[
            "2010-11-06T23:30:00.000-02:30",
            "2010-11-07T00:00:00.000-02:30",
            "2010-11-08T00:00:00.000-03:30",
        ],
    );
}

#[tokio::test]
async fn a_date_that_a_zone_skipped_is_no_interval() {
    assert_days(
        "Pacific/Apia",
        ["2011-12-29", "2012-01-01"],
        &[
            "2011-12-29T00:00:00.000-10:00",
            "2011-12-31T00:00:00.000+14:00",
            "2012-01-01T00:00:00.000+14:00",
        ],
    )
    .await;
    // The date alone is the instant at which the gap ends.
    assert_days("Pacific/Apia", ["2011-12-30", "2011-12-31"], &[]).await;
}

#[tokio::test]
async fn weeks_begin_on_monday_or_on_sunday() {
    let project = Project::new().await;
    let query =
        "&interval=week&timezone=Europe/Prague&startDate=2026-03-18&endDate=2026-04-01T12:00";
    assert_adjacent(
        &intervals(&project, query).await,
        &[
            "2026-03-18T00:00:00.000+01:00",
            "2026-03-23T00:00:00.000+01:00",
            "2026-03-30T00:00:00.000+02:00",
            "2026-04-01T12:00:00.000+02:00",
        ],
    );
    let monday = intervals(&project, &format!("{query}&weekStart=monday")).await;
    assert_eq!(intervals(&project, query).await, monday);
    assert_adjacent(
        &intervals(&project, &format!("{query}&weekStart=sunday")).await,
        &[
            "2026-03-18T00:00:00.000+01:00",
            "2026-03-22T00:00:00.000+01:00",
            "2026-03-29T00:00:00.000+01:00",
            "2026-04-01T12:00:00.000+02:00",
        ],
    );
}

#[tokio::test]
async fn months_quarters_and_years_are_cut_to_the_period() {
    let project = Project::new().await;
    let period = "&timezone=America/New_York&startDate=2025-02-10T06:30Z&endDate=2026-05-01T00:00";
    let months = intervals(&project, &format!("{period}&interval=month")).await;
    assert_eq!(months.len(), 15);
    assert_adjacent(
        &months[..3],
        &[
            "2025-02-10T01:30:00.000-05:00",
            "2025-03-01T00:00:00.000-05:00",
            "2025-04-01T00:00:00.000-04:00",
            "2025-05-01T00:00:00.000-04:00",
        ],
    );
    assert_adjacent(
        &intervals(&project, &format!("{period}&interval=quarter")).await,
        &[
            "2025-02-10T01:30:00.000-05:00",
            "2025-04-01T00:00:00.000-04:00",
            "2025-07-01T00:00:00.000-04:00",
            "2025-10-01T00:00:00.000-04:00",
            "2026-01-01T00:00:00.000-05:00",
            "2026-04-01T00:00:00.000-04:00",
            "2026-05-01T00:00:00.000-04:00",
        ],
    );
    assert_adjacent(
        &intervals(&project, &format!("{period}&interval=year")).await,
        &[
            "2025-02-10T01:30:00.000-05:00",
            "2026-01-01T00:00:00.000-05:00",
            "2026-05-01T00:00:00.000-04:00",
        ],
    );
}

#[tokio::test]
async fn a_period_within_an_interval_is_one_element_and_an_empty_period_none() {
    let project = Project::new().await;
    let query = "&interval=year&startDate=2026-03-01&endDate=2026-03-01T00:00:00.001";
    assert_adjacent(
        &intervals(&project, query).await,
        &["2026-03-01T00:00:00.000Z", "2026-03-01T00:00:00.001Z"],
    );
    for empty in [
        "&startDate=2026-03-01&endDate=2026-03-01",
        "&startDate=9999-12-31",
    ] {
        let reply = Api::shared()
            .statistics(&project, &format!("&interval=day{empty}"))
            .await;
        assert_eq!(
            (reply.status.as_u16(), reply.text()),
            (200, r#"{"data":[]}"#)
        );
    }
}

#[tokio::test]
async fn dates_without_an_offset_are_local_times_of_the_zone() {
    let project = Project::new().await;
    let zone = "&interval=year&timezone=";
    for (query, expected) in [
        (
            "Europe/Prague&startDate=2026-06-01&endDate=2026-06-02T12:30",
            [
                "2026-06-01T00:00:00.000+02:00",
                "2026-06-02T12:30:00.000+02:00",
            ],
        ),
        // An offset says what is meant.
        (
            "Europe/Prague&startDate=2026-06-01T00:00Z&endDate=2026-06-02T00:00-0400",
            [
                "2026-06-01T02:00:00.000+02:00",
                "2026-06-02T06:00:00.000+02:00",
            ],
        ),
        // Clocks skipped 02:00 to 03:00: the instant at which the gap ends.
        (
            "Europe/Prague&startDate=2026-03-29T02:00&endDate=2026-03-29T03:30",
            [
                "2026-03-29T03:00:00.000+02:00",
                "2026-03-29T03:30:00.000+02:00",
            ],
        ),
        (
            "Europe/Prague&startDate=2026-03-29T01:00&endDate=2026-03-29T02:59:59.999",
            [
                "2026-03-29T01:00:00.000+01:00",
                "2026-03-29T03:00:00.000+02:00",
            ],
        ),
        // Clocks showed 02:00 to 03:00 twice: the first time.
        (
            "Europe/Prague&startDate=2026-10-25T02:00&endDate=2026-10-25T03:00",
            [
                "2026-10-25T02:00:00.000+02:00",
                "2026-10-25T03:00:00.000+01:00",
            ],
        ),
        (
            "Pacific/Apia&startDate=2011-12-30T10:00&endDate=2011-12-31T00:30",
            [
                "2011-12-31T00:00:00.000+14:00",
                "2011-12-31T00:30:00.000+14:00",
            ],
        ),
    ] {
        let found = intervals(&project, &format!("{zone}{query}")).await;
        assert_adjacent(&found, &expected);
    }
    let displays = async |query: &str| {
        let figures = Api::shared().statistics(&project, query).await.figures();
        figures["displays"].clone()
    };
    project
        .put_response("2026-05-31T22:30:00.000Z", "a", &[])
        .await;
    assert_eq!(
        displays("&startDate=2026-06-01&endDate=2026-06-02").await,
        0
    );
    let without_interval = "&startDate=2026-06-01&endDate=2026-06-02&timezone=Europe/Prague";
    assert_eq!(displays(without_interval).await, 1);
}

#[tokio::test]
async fn instants_have_the_offset_of_the_zone_or_z_in_utc_and_where_no_offset_can_say_them() {
    let project = Project::new().await;
    for (query, expected) in [
        (
            "&startDate=2026-01-01",
            ["2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"],
        ),
        (
            "&timezone=UTC&startDate=2026-01-01",
            ["2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"],
        ),
        (
            "&timezone=Etc/UTC&startDate=2026-01-01",
            ["2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"],
        ),
        (
            "&timezone=Europe/London&startDate=2026-01-01",
            [
                "2026-01-01T00:00:00.000+00:00",
                "2026-02-01T00:00:00.000+00:00",
            ],
        ),
        // Monrovia was 44 minutes and 30 seconds behind until 7 January 1972.
        (
            "&timezone=Africa/Monrovia&startDate=1972-01-01&endDate=1972-02-01",
            ["1972-01-01T00:44:30.000Z", "1972-02-01T00:00:00.000+00:00"],
        ),
    ] {
        let end = if query.contains("endDate") {
            ""
        } else {
            "&endDate=2026-02-01"
        };
        let found = intervals(&project, &format!("&interval=month{query}{end}")).await;
        assert_adjacent(&found, &expected);
    }
}

#[tokio::test]
async fn the_first_and_the_last_year_have_intervals() {
    let project = Project::new().await;
    let first = "&interval=week&weekStart=sunday&startDate=0001-01-01&endDate=0001-01-08";
    assert_adjacent(
        &intervals(&project, first).await,
        &[
            "0001-01-01T00:00:00.000Z",
            "0001-01-07T00:00:00.000Z",
            "0001-01-08T00:00:00.000Z",
        ],
    );
    // The clocks of Kiritimati are in the year 10000 already, which has no form.
    let last = "&interval=day&timezone=Pacific/Kiritimati&startDate=9999-12-31&endDate=9999-12-31T23:59:59.999Z";
    let found = intervals(&project, last).await;
    assert_eq!(found[0].0, "9999-12-31T00:00:00.000+14:00");
    assert_eq!(found.last().unwrap().1, "9999-12-31T23:59:59.999Z");
    let before =
        "&interval=day&timezone=America/New_York&startDate=9999-12-31&endDate=9999-12-31T12:00";
    assert_adjacent(
        &intervals(&project, before).await,
        &[
            "9999-12-31T00:00:00.000-05:00",
            "9999-12-31T12:00:00.000-05:00",
        ],
    );
    // 10000-01-01 in UTC.
    let after = "&timezone=America/New_York&endDate=9999-12-31T20:00";
    assert_eq!(
        problems(&Api::shared().statistics(&project, after).await),
        problem("invalid_parameter", "endDate")
    );
}

#[tokio::test]
async fn zones_have_exactly_the_names_of_the_tz_database() {
    let project = Project::new().await;
    let status = async |zone: &str| {
        let query = format!("&timezone={zone}&endDate=2026-01-01");
        Api::shared().statistics(&project, &query).await
    };
    for zone in [
        "Europe/Prague",
        "Asia/Calcutta",
        "US/Eastern",
        "EST5EDT",
        "GMT",
        "America/Port-au-Prince",
        "Etc/GMT%2B12",
    ] {
        assert_eq!(status(zone).await.status, 200, "{zone}");
    }
    for zone in [
        "",
        "utc",
        "europe/prague",
        "EUROPE/PRAGUE",
        "Prague",
        "localtime",
        "Etc/Unknown",
        "posixrules",
        "EST5EDT,M3.2.0,M11.1.0",
        "CET-1CEST",
        "+02:00",
        "Z",
        "Europe/Prague%00",
        "/Europe/Prague",
        "../Europe/Prague",
        ":Europe/Prague",
        "Europe/Prague+",
    ] {
        assert_eq!(
            problems(&status(zone).await),
            problem("invalid_parameter", "timezone"),
            "{zone}"
        );
    }
}

#[tokio::test]
async fn a_thousand_intervals_are_the_most() {
    let project = Project::new().await;
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
