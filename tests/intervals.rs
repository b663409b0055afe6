//! Calendar intervals of a period (contract, section 4), by named zones. Every zone of the tz database is
//! compared with another implementation in the crate itself.

use crate::support::{Operation, ask, bounds, empty_app};

/// Checks a table. A line has an interval, a zone, the dates of a period, and perhaps more of the query;
/// the next one has the instants at which the intervals begin, and the end. Instants lack `:00.000`.
async fn check(table: &str) {
    let app = empty_app();
    let lines: Vec<_> = table.trim().lines().map(str::trim).collect();
    for pair in lines.chunks(2) {
        let words: Vec<_> = pair[0].split(' ').collect();
        let [interval, zone, start, end]: [&str; 4] = words[..4].try_into().unwrap();
        let rest = words.get(4).copied().unwrap_or_default();
        let query =
            format!("interval={interval}&timezone={zone}&startDate={start}&endDate={end}{rest}");
        let whole = |short: &str| format!("{}:00.000{}", &short[..16], &short[16..]);
        let begins: Vec<_> = pair[1].split(' ').map(whole).collect();
        let adjacent = begins
            .windows(2)
            .map(|pair| (pair[0].clone(), pair[1].clone()));
        let reply = ask(&app, Operation::Statistics, &query).await;
        assert_eq!(bounds(&reply), adjacent.collect::<Vec<_>>(), "{query}");
    }
}

#[tokio::test]
async fn days_have_as_many_hours_as_the_clocks_give_them() {
    // In March, October, by half an hour, during Ramadan, and by the last rule of a zone, which has no end.
    let table = "
        day Europe/Prague 2026-03-28 2026-03-31
        2026-03-28T00:00+01:00 2026-03-29T00:00+01:00 2026-03-30T00:00+02:00 2026-03-31T00:00+02:00
        day America/New_York 2026-11-01 2026-11-03
        2026-11-01T00:00-04:00 2026-11-02T00:00-05:00 2026-11-03T00:00-05:00
        day Australia/Lord_Howe 2025-04-06 2025-04-08
        2025-04-06T00:00+11:00 2025-04-07T00:00+10:30 2025-04-08T00:00+10:30
        day Africa/Casablanca 2026-02-14 2026-02-17
        2026-02-14T00:00+01:00 2026-02-15T00:00+01:00 2026-02-16T00:00+00:00 2026-02-17T00:00+00:00
        day Europe/Prague 2150-10-25 2150-10-27
        2150-10-25T00:00+02:00 2150-10-26T00:00+01:00 2150-10-27T00:00+01:00
    ";
    check(table).await;
}

#[tokio::test]
async fn a_day_whose_midnight_is_skipped_begins_after_the_gap() {
    // The last gap is a quarter of an hour.
    let table = "
        day Asia/Beirut 2022-03-26 2022-03-28
        2022-03-26T00:00+02:00 2022-03-27T01:00+03:00 2022-03-28T00:00+03:00
        day America/Sao_Paulo 2018-11-03 2018-11-05
        2018-11-03T00:00-03:00 2018-11-04T01:00-02:00 2018-11-05T00:00-02:00
        day Asia/Kathmandu 1985-12-31 1986-01-02
        1985-12-31T00:00+05:30 1986-01-01T00:15+05:45 1986-01-02T00:00+05:45
    ";
    check(table).await;
}

#[tokio::test]
async fn a_day_whose_midnight_comes_twice_begins_with_the_first() {
    // In São Paulo, clocks go back when they would show midnight, so they show it once. In St. John's, they
    // went back at 00:01, when the new day had begun already.
    let table = "
        day America/Havana 2025-11-01 2025-11-03
        2025-11-01T00:00-04:00 2025-11-02T00:00-04:00 2025-11-03T00:00-05:00
        day America/Sao_Paulo 2018-02-17 2018-02-19
        2018-02-17T00:00-02:00 2018-02-18T00:00-03:00 2018-02-19T00:00-03:00
        day America/St_Johns 2010-11-06 2010-11-08
        2010-11-06T00:00-02:30 2010-11-07T00:00-02:30 2010-11-08T00:00-03:30
    ";
    check(table).await;
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
async fn a_date_that_a_zone_skipped_is_no_interval() {
    // Apia skipped a Friday; a period of that date begins at the instant at which the gap ends, where it
    // ends as well. Kiritimati skipped New Year's Eve, a Saturday.
    let table = "
        day Pacific/Apia 2011-12-29 2012-01-01
        2011-12-29T00:00-10:00 2011-12-31T00:00+14:00 2012-01-01T00:00+14:00
        day Pacific/Apia 2011-12-30 2011-12-31
        2011-12-31T00:00+14:00
        week Pacific/Apia 2011-12-26 2012-01-02
        2011-12-26T00:00-10:00 2012-01-02T00:00+14:00
        day Pacific/Kiritimati 1994-12-30 1995-01-02
        1994-12-30T00:00-10:00 1995-01-01T00:00+14:00 1995-01-02T00:00+14:00
    ";
    check(table).await;
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
    for empty in [
        "startDate=2026-03-01&endDate=2026-03-01",
        "startDate=9999-12-31",
    ] {
        let query = format!("interval=day&{empty}");
        let reply = ask(&empty_app(), Operation::Statistics, &query).await;
        assert_eq!(
            (reply.status.as_u16(), reply.text()),
            (200, r#"{"data":[]}"#)
        );
    }
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
