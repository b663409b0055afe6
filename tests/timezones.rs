//! The parameter `timezone`: names of zones, local times in the period, and the form of instants
//! (contract, section 4).

use crate::support::{Operation, app_of, ask, bounds, check_statistics, empty_app};

/// Checks a table. A line has a zone and the dates of a period, and the next one what these mean.
async fn check(table: &str) {
    let lines: Vec<_> = table.trim().lines().map(str::trim).collect();
    for pair in lines.chunks(2) {
        let words: Vec<_> = pair[0].split(' ').collect();
        let [zone, start, end]: [&str; 3] = words.try_into().unwrap();
        let query = format!("interval=year{zone}&startDate={start}&endDate={end}");
        let reply = ask(&empty_app(), Operation::Statistics, &query).await;
        let (start, end) = pair[1].split_once(' ').unwrap();
        assert_eq!(
            bounds(&reply),
            [(start.to_owned(), end.to_owned())],
            "{query}"
        );
    }
}

#[tokio::test]
async fn dates_without_an_offset_are_local_times_of_the_zone() {
    // An offset takes precedence.
    let table = "
        &timezone=Europe/Prague 2026-06-01 2026-06-02T12:30
        2026-06-01T00:00:00.000+02:00 2026-06-02T12:30:00.000+02:00
        &timezone=Europe/Prague 2026-06-01T00:00Z 2026-06-02T00:00-0400
        2026-06-01T02:00:00.000+02:00 2026-06-02T06:00:00.000+02:00
    ";
    check(table).await;
    let app = app_of(&[("2026-05-31T22:30:00.000Z", serde_json::json!({}))]);
    let table = "
        startDate=2026-06-01&endDate=2026-06-02{ &timezone=UTC} | 0
        startDate=2026-06-01&endDate=2026-06-02&timezone=Europe/Prague | 1
    ";
    check_statistics(&app, table).await;
}

#[tokio::test]
async fn a_local_time_that_does_not_exist_is_the_instant_at_which_the_gap_ends() {
    // In Prague from 02:00 to 03:00, in Apia a whole day.
    let table = "
        &timezone=Europe/Prague 2026-03-29T02:00 2026-03-29T03:30
        2026-03-29T03:00:00.000+02:00 2026-03-29T03:30:00.000+02:00
        &timezone=Europe/Prague 2026-03-29T01:00 2026-03-29T02:59:59.999
        2026-03-29T01:00:00.000+01:00 2026-03-29T03:00:00.000+02:00
        &timezone=Pacific/Apia 2011-12-30T10:00 2011-12-31T00:30
        2011-12-31T00:00:00.000+14:00 2011-12-31T00:30:00.000+14:00
    ";
    check(table).await;
}

#[tokio::test]
async fn a_local_time_that_happened_twice_is_the_first() {
    // In Prague from 02:00 to 03:00, in Havana from 00:00 to 01:00.
    let table = "
        &timezone=Europe/Prague 2026-10-25T02:00 2026-10-25T02:59:59.999
        2026-10-25T02:00:00.000+02:00 2026-10-25T02:59:59.999+02:00
        &timezone=America/Havana 2025-11-02 2025-11-02T01:00
        2025-11-02T00:00:00.000-04:00 2025-11-02T01:00:00.000-05:00
    ";
    check(table).await;
}

#[tokio::test]
async fn years_count_after_conversion_from_the_zone() {
    let table = "
        timezone=America/New_York&endDate=9999-12-31T20:00 | invalid endDate
        timezone=America/New_York&endDate=9999-12-31T18:59 | 0
        timezone=Asia/Tokyo&endDate=9999-12-31T20:00 | 0
        timezone=Asia/Tokyo&endDate=0001-01-01 | invalid endDate
        timezone=America/New_York&endDate=0000-12-31T23:00 | 0
        timezone=UTC&endDate=0000-12-31T23:00 | invalid endDate
    ";
    check_statistics(&empty_app(), table).await;
}

#[tokio::test]
async fn instants_have_the_zones_offset_or_z_in_utc_and_if_the_format_cannot_express_it() {
    for zone in [
        "&format=json",
        "&timezone=UTC",
        "&timezone=Etc/UTC",
        "&timezone=Zulu",
    ] {
        let in_utc = "2026-01-01T00:00:00.000Z 2026-02-01T00:00:00.000Z";
        check(&format!("{zone} 2026-01-01 2026-02-01\n{in_utc}")).await;
    }
    // Monrovia was 44 minutes and 30 seconds behind until 7 January 1972.
    let table = "
        &timezone=Europe/London 2026-01-01 2026-02-01
        2026-01-01T00:00:00.000+00:00 2026-02-01T00:00:00.000+00:00
        &timezone=Africa/Monrovia 1972-01-01 1972-02-01
        1972-01-01T00:44:30.000Z 1972-02-01T00:00:00.000+00:00
    ";
    check(table).await;
}

#[tokio::test]
async fn zones_have_exactly_the_names_of_the_tz_database() {
    let table = "
        timezone={Europe/Prague Asia/Calcutta US/Eastern EST5EDT GMT Etc/GMT%2B12} | 0
        timezone={utc europe/prague EUROPE/PRAGUE etc/GMT%2B12 US/eastern} | invalid timezone
        timezone={EST5EDT,M3.2.0,M11.1.0 CET-1CEST %2B02:00 Z} | invalid timezone
        timezone={localtime posixrules /Europe/Prague ../Europe/Prague :Europe/Prague} | invalid timezone
        timezone={ tzdata.zi Prague Etc/Unknown Etc/GMT+12 Europe/Prague%00 Europe/} | invalid timezone
    ";
    check_statistics(&empty_app(), table).await;
}
