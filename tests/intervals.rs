//! Calendar intervals of a period, and the local times of named zones (contract, section 4). The days of every
//! zone of the tz database are compared with another implementation in the crate itself.

use serde_json::Value;

use crate::support::{check_instants, check_statistics, empty_app};

/// Checks a table of the instants at which the intervals begin, and of the end.
async fn check(table: &str) {
    let adjacent = |elements: &[Value]| {
        for pair in elements.windows(2) {
            assert_eq!(pair[0]["end"], pair[1]["start"]);
        }
        let starts = elements.iter().map(|of| of["start"].clone());
        let end = elements.last().map(|of| of["end"].clone());
        starts.chain(end).collect()
    };
    check_instants(&empty_app(), "interval", adjacent, table).await;
}

#[tokio::test]
async fn a_period_that_begins_in_a_repeated_hour_begins_in_the_interval_that_has_begun_already() {
    // Clocks show half past eleven in the evening of 6 November for the second time, then for the first.
    let table = "
        day America/St_Johns 2010-11-07T03:00Z 2010-11-08
        2010-11-06T23:30-03:30 2010-11-08T00:00-03:30
        day America/St_Johns 2010-11-06T23:30 2010-11-08
        2010-11-06T23:30-02:30 2010-11-07T00:00-02:30 2010-11-08T00:00-03:30
        month America/St_Johns 2010-10-31T23:30 2010-12-01
        2010-10-31T23:30-02:30 2010-11-01T00:00-02:30 2010-12-01T00:00-03:30
    ";
    check(table).await;
}

#[tokio::test]
async fn dates_without_an_offset_are_local_times_of_the_zone() {
    // An offset takes precedence. A local time that does not exist is the instant at which the gap ends, and one
    // that happened twice is the first. Instants have the zone's offset, or `Z` if the format cannot express it.
    let table = "
        year Europe/Prague 2026-06-01 2026-06-02T12:30
        2026-06-01T00:00+02:00 2026-06-02T12:30+02:00
        year Europe/Prague 2026-06-01T00:00Z 2026-06-02T00:00-0400
        2026-06-01T02:00+02:00 2026-06-02T06:00+02:00
        year Europe/Prague 2026-03-29T02:00 2026-03-29T03:30
        2026-03-29T03:00+02:00 2026-03-29T03:30+02:00
        year Europe/Prague 2026-03-29T01:00 2026-03-29T02:59:59.999
        2026-03-29T01:00+01:00 2026-03-29T03:00+02:00
        year Pacific/Apia 2011-12-30T10:00 2011-12-31T00:30
        2011-12-31T00:00+14:00 2011-12-31T00:30+14:00
        year Europe/Prague 2026-10-25T02:00 2026-10-25T02:59:59.999
        2026-10-25T02:00+02:00 2026-10-25T02:59:59.999+02:00
        year America/Havana 2025-11-02 2025-11-02T01:00
        2025-11-02T00:00-04:00 2025-11-02T01:00-05:00
        year Europe/London 2026-01-01 2026-02-01
        2026-01-01T00:00+00:00 2026-02-01T00:00+00:00
        year Zulu 2026-01-01 2026-02-01
        2026-01-01T00:00Z 2026-02-01T00:00Z
        year Africa/Monrovia 1972-01-01 1972-02-01
        1972-01-01T00:44:30.000Z 1972-02-01T00:00+00:00
    ";
    check(table).await;
}

#[tokio::test]
async fn years_count_after_conversion_from_the_zone_which_has_exactly_its_name_in_the_tz_database()
{
    let table = "
        timezone=America/New_York&endDate=9999-12-31T20:00 | invalid endDate
        timezone=America/New_York&endDate=9999-12-31T18:59 | 0
        timezone=Asia/Tokyo&endDate=9999-12-31T20:00 | 0
        timezone=Asia/Tokyo&endDate=0001-01-01 | invalid endDate
        timezone=America/New_York&endDate=0000-12-31T23:00 | 0
        timezone=UTC&endDate=0000-12-31T23:00 | invalid endDate
        timezone={Europe/Prague Asia/Calcutta US/Eastern EST5EDT GMT Etc/GMT%2B12} | 0
        timezone={utc europe/prague EUROPE/PRAGUE etc/GMT%2B12 US/eastern} | invalid timezone
        timezone={EST5EDT,M3.2.0,M11.1.0 CET-1CEST %2B02:00 Z} | invalid timezone
        timezone={localtime posixrules /Europe/Prague ../Europe/Prague :Europe/Prague} | invalid timezone
        timezone={tzdata.zi Prague Etc/Unknown Etc/GMT+12 Europe/Prague%00 Europe/} | invalid timezone
    ";
    check_statistics(&empty_app(), table).await;
}

#[tokio::test]
async fn weeks_begin_on_monday_or_on_sunday() {
    let table = "
        week Europe/Prague 2026-03-18 2026-04-01T12:00
        2026-03-18T00:00+01:00 2026-03-23T00:00+01:00 2026-03-30T00:00+02:00 2026-04-01T12:00+02:00
        week Europe/Prague 2026-03-18 2026-04-01T12:00 &weekStart=monday
        2026-03-18T00:00+01:00 2026-03-23T00:00+01:00 2026-03-30T00:00+02:00 2026-04-01T12:00+02:00
        week Europe/Prague 2026-03-18 2026-04-01T12:00 &weekStart=sunday
        2026-03-18T00:00+01:00 2026-03-22T00:00+01:00 2026-03-29T00:00+01:00 2026-04-01T12:00+02:00
    ";
    check(table).await;
}

#[tokio::test]
async fn months_quarters_and_years_are_cut_to_the_period() {
    let midnights = (3..=12).map(|month| format!("2025-{month:02}-01T00:00"));
    let midnights = midnights.chain((1..=5).map(|month| format!("2026-{month:02}-01T00:00")));
    let months = midnights.map(|midnight| {
        let is_summer = ("04".."12").contains(&&midnight[5..7]);
        midnight + if is_summer { "-04:00" } else { "-05:00" }
    });
    let months = months.collect::<Vec<_>>().join(" ");
    let table = format!(
        "
        month America/New_York 2025-02-10T06:30Z 2026-05-01T00:00
        2025-02-10T01:30-05:00 {months}
        quarter America/New_York 2025-02-10T06:30Z 2025-07-02
        2025-02-10T01:30-05:00 2025-04-01T00:00-04:00 2025-07-01T00:00-04:00 2025-07-02T00:00-04:00
        quarter America/New_York 2025-09-30 2025-12-31
        2025-09-30T00:00-04:00 2025-10-01T00:00-04:00 2025-12-31T00:00-05:00
        quarter America/New_York 2025-12-31 2026-05-01T00:00
        2025-12-31T00:00-05:00 2026-01-01T00:00-05:00 2026-04-01T00:00-04:00 2026-05-01T00:00-04:00
        year America/New_York 2025-02-10T06:30Z 2026-05-01T00:00
        2025-02-10T01:30-05:00 2026-01-01T00:00-05:00 2026-05-01T00:00-04:00
        year UTC 2026-03-01 2026-03-01T00:01
        2026-03-01T00:00Z 2026-03-01T00:01Z"
    );
    check(&table).await;
}

#[tokio::test]
async fn an_empty_period_has_no_element() {
    let table = "
        interval=day&startDate={2026-03-01&endDate=2026-03-01 9999-12-31} | none
        interval=day&timezone=Pacific/Apia&startDate=2011-12-30&endDate=2011-12-31 | none
    ";
    check_statistics(&empty_app(), table).await;
}

#[tokio::test]
async fn the_first_and_the_last_year_have_intervals() {
    // At last, the clocks of Kiritimati are in the year 10000 already, which has no form.
    let table = "
        week UTC 0001-01-01 0001-01-08 &weekStart=sunday
        0001-01-01T00:00Z 0001-01-07T00:00Z 0001-01-08T00:00Z
        day America/New_York 9999-12-31 9999-12-31T12:00
        9999-12-31T00:00-05:00 9999-12-31T12:00-05:00
        day Pacific/Kiritimati 9999-12-31 9999-12-31T23:59Z
        9999-12-31T00:00+14:00 9999-12-31T23:59Z
    ";
    check(table).await;
}
