//! The parameter `timezone`: names of zones, local times in the period, and the form of instants
//! (contract, section 4).

use crate::support::{Api, intervals, new_project, problem, problems};

/// Checks start and end of a period that is one interval.
async fn check(query: &str, start: &str, end: &str) {
    let found = intervals(&new_project().await, &format!("&interval=year{query}")).await;
    assert_eq!(found, [(start.to_owned(), end.to_owned())], "{query}");
}

/// Checks how the zone reads the dates of a period.
async fn check_dates(zone: &str, [start_date, end_date]: [&str; 2], [start, end]: [&str; 2]) {
    let query = format!("&timezone={zone}&startDate={start_date}&endDate={end_date}");
    check(&query, start, end).await;
}

#[tokio::test]
async fn dates_without_an_offset_are_local_times_of_the_zone() {
    let written = ["2026-06-01", "2026-06-02T12:30"];
    let meant = [
        "2026-06-01T00:00:00.000+02:00",
        "2026-06-02T12:30:00.000+02:00",
    ];
    check_dates("Europe/Prague", written, meant).await;
    // An offset takes precedence.
    let written = ["2026-06-01T00:00Z", "2026-06-02T00:00-0400"];
    let meant = [
        "2026-06-01T02:00:00.000+02:00",
        "2026-06-02T06:00:00.000+02:00",
    ];
    check_dates("Europe/Prague", written, meant).await;
    let project = new_project().await;
    project
        .put_response("2026-05-31T22:30:00.000Z", "a", &[])
        .await;
    for (zone, displays) in [
        ("", 0),
        ("&timezone=UTC", 0),
        ("&timezone=Europe/Prague", 1),
    ] {
        let query = format!("&startDate=2026-06-01&endDate=2026-06-02{zone}");
        let figures = Api::shared().statistics(&project, &query).await.figures();
        assert_eq!(figures["displays"], displays, "{zone}");
    }
}

#[tokio::test]
async fn a_local_time_that_does_not_exist_is_the_instant_at_which_the_gap_ends() {
    // From 02:00 to 03:00.
    let written = ["2026-03-29T02:00", "2026-03-29T03:30"];
    let meant = [
        "2026-03-29T03:00:00.000+02:00",
        "2026-03-29T03:30:00.000+02:00",
    ];
    check_dates("Europe/Prague", written, meant).await;
    let written = ["2026-03-29T01:00", "2026-03-29T02:59:59.999"];
    let meant = [
        "2026-03-29T01:00:00.000+01:00",
        "2026-03-29T03:00:00.000+02:00",
    ];
    check_dates("Europe/Prague", written, meant).await;
    // A whole day.
    let written = ["2011-12-30T10:00", "2011-12-31T00:30"];
    let meant = [
        "2011-12-31T00:00:00.000+14:00",
        "2011-12-31T00:30:00.000+14:00",
    ];
    check_dates("Pacific/Apia", written, meant).await;
}

#[tokio::test]
async fn a_local_time_that_happened_twice_is_the_first() {
    // From 02:00 to 03:00.
    let written = ["2026-10-25T02:00", "2026-10-25T02:59:59.999"];
    let meant = [
        "2026-10-25T02:00:00.000+02:00",
        "2026-10-25T02:59:59.999+02:00",
    ];
    check_dates("Europe/Prague", written, meant).await;
    let written = ["2025-11-02", "2025-11-02T01:00"];
    let meant = [
        "2025-11-02T00:00:00.000-04:00",
        "2025-11-02T01:00:00.000-05:00",
    ];
    check_dates("America/Havana", written, meant).await;
}

#[tokio::test]
async fn years_count_after_conversion_from_the_zone() {
    let project = new_project().await;
    for (zone, date, status) in [
        ("America/New_York", "9999-12-31T20:00", 400),
        ("America/New_York", "9999-12-31T18:59", 200),
        ("Asia/Tokyo", "9999-12-31T20:00", 200),
        ("Asia/Tokyo", "0001-01-01", 400),
        ("America/New_York", "0000-12-31T23:00", 200),
        ("UTC", "0000-12-31T23:00", 400),
    ] {
        let query = format!("&timezone={zone}&endDate={date}");
        let reply = Api::shared().statistics(&project, &query).await;
        assert_eq!(reply.status, status, "{query}");
        if status == 400 {
            assert_eq!(problems(&reply), problem("invalid_parameter", "endDate"));
        }
    }
}

#[tokio::test]
async fn instants_have_the_zones_offset_or_z_in_utc_and_if_the_format_cannot_express_it() {
    let january = "&startDate=2026-01-01&endDate=2026-02-01";
    let in_utc = ["2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"];
    for zone in ["", "&timezone=UTC", "&timezone=Etc/UTC", "&timezone=Zulu"] {
        check(&format!("{january}{zone}"), in_utc[0], in_utc[1]).await;
    }
    let in_winter = [
        "2026-01-01T00:00:00.000+00:00",
        "2026-02-01T00:00:00.000+00:00",
    ];
    check_dates("Europe/London", ["2026-01-01", "2026-02-01"], in_winter).await;
    // Monrovia was 44 minutes and 30 seconds behind until 7 January 1972.
    let across = ["1972-01-01T00:44:30.000Z", "1972-02-01T00:00:00.000+00:00"];
    check_dates("Africa/Monrovia", ["1972-01-01", "1972-02-01"], across).await;
}

#[tokio::test]
async fn zones_have_exactly_the_names_of_the_tz_database() {
    let project = new_project().await;
    let reply = async |zone: &str| {
        let query = format!("&timezone={zone}&endDate=2026-01-01");
        Api::shared().statistics(&project, &query).await
    };
    let names = [
        "Europe/Prague",
        "Asia/Calcutta",
        "US/Eastern",
        "EST5EDT",
        "GMT",
        "Etc/GMT%2B12",
    ];
    for zone in names {
        assert_eq!(reply(zone).await.status, 200, "{zone}");
    }
    let cases = [
        "utc",
        "europe/prague",
        "EUROPE/PRAGUE",
        "etc/GMT%2B12",
        "US/eastern",
    ];
    let posix = ["EST5EDT,M3.2.0,M11.1.0", "CET-1CEST", "%2B02:00", "Z"];
    let files = [
        "localtime",
        "posixrules",
        "/Europe/Prague",
        "../Europe/Prague",
        ":Europe/Prague",
        "tzdata.zi",
    ];
    let others = [
        "",
        "Prague",
        "Etc/Unknown",
        "Etc/GMT+12",
        "Europe/Prague%00",
        "Europe/",
    ];
    for zone in cases.into_iter().chain(posix).chain(files).chain(others) {
        let problem = problem("invalid_parameter", "timezone");
        assert_eq!(problems(&reply(zone).await), problem, "{zone}");
    }
}
