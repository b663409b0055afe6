//! Dates in ISO 8601, in looser forms of it, and in other formats.

use intake::DateForm;

use crate::import::{import, record};

/// Returns the instants of a file whose dates have this format, and how many records are rejected.
fn instants(format: &str, text: &str) -> (Vec<String>, usize) {
    let options = format!("responses --timezone Europe/Prague --date-format {format}");
    let imported = import(&options, text);
    (imported.instants(), imported.rejects.len())
}

fn table(cell: &str) -> String {
    format!("id,created,rating\nr1,{cell},9\n")
}

#[test]
fn a_date_alone_is_its_midnight_and_an_hour_alone_that_hour() {
    #[rustfmt::skip]
    let rows = [
        ("%m/%d/%Y", "07/01/2020", "2020-06-30T22:00:00.000Z"),
        ("%m/%d/%Y %H", "07/01/2020 15", "2020-07-01T13:00:00.000Z"),
        ("%m/%d/%Y %I %p", "07/01/2020 3 PM", "2020-07-01T13:00:00.000Z"),
        ("%d.%m.%y %I:%M%P", "1.7.20 12:30am", "2020-06-30T22:30:00.000Z"),
        ("%m/%d/%Y %z", "07/01/2020 -0500", "2020-07-01T05:00:00.000Z"),
        ("%Y-%m-%d %H:%M %#z", "2020-07-01 10:30 -05", "2020-07-01T15:30:00.000Z"),
        ("%s", "1593610200", "2020-07-01T13:30:00.000Z"),
        ("%s%.f", "1593610200.750", "2020-07-01T13:30:00.750Z"),
        ("%d.%m.%Y %H:%M:%S.%3f", "01.07.2020 15:30:00.750", "2020-07-01T13:30:00.750Z"),
        ("%G-W%V-%u", "2020-W27-3", "2020-06-30T22:00:00.000Z"),
        // The first of two, and summer time has no last year.
        ("%Y-%m-%d %H:%M", "2026-10-25 02:30", "2026-10-25T00:30:00.000Z"),
        ("%Y-%m-%d %H:%M", "2150-07-01 00:30", "2150-06-30T22:30:00.000Z"),
    ];
    for (format, cell, instant) in rows {
        assert_eq!(
            instants(format, &table(cell)),
            (vec![instant.to_owned()], 0),
            "{format}"
        );
    }
    // Clocks skipped this midnight.
    let options = "responses --timezone America/Sao_Paulo --date-format %Y-%m-%d";
    let imported = import(options, table("2018-11-04"));
    assert_eq!(imported.instants(), ["2018-11-04T03:00:00.000Z"]);
}

#[test]
fn a_cell_that_is_no_instant_of_the_whole_format_is_rejected() {
    let other = "does not have the format";
    for (format, cell, reason) in [
        ("%m/%d/%Y %H", "07/01/2020 15:30", other),
        ("%m/%d/%Y", "07/01/2020 15:30", other),
        ("%m/%d/%Y %I:%M %p", "07/01/2020 3:30", other),
        ("%m/%d/%Y %H:%M", "07/01/2020 3:30 PM", other),
        ("%m/%d/%Y", "2020-07-01", other),
        ("%m/%d/%Y", "01/02/26", "is not in the years 1000 to 9999"),
        ("%FT%T%z", "2016-12-31T23:59:60+0000", "is a leap second"),
        ("%F %T", "2017-01-01 00:59:60", "is a leap second"),
        (
            "%Y-%m-%d %H:%M",
            "2026-03-29 02:30",
            "does not exist in Europe/Prague, where clocks were set forward",
        ),
    ] {
        let options = format!("responses --timezone Europe/Prague --date-format {format}");
        let rejects = import(&options, table(cell)).rejects;
        let beginning = format!("file:2: created: \"{cell}\" {reason}");
        assert!(
            rejects.len() == 1 && rejects[0].starts_with(&beginning),
            "{format}: {rejects:?}"
        );
    }
}

#[test]
fn a_format_that_does_not_tell_instants_is_refused() {
    for (format, reason) in [
        ("%m/%d/%Y %I:%M", "%I with %p"),
        ("%m/%d/%Y %l:%M", "%I with %p"),
        ("%m/%d/%Y %p", "%I with %p"),
        ("%m/%d/%Y %M", "then minutes"),
        ("%m/%d/%Y %H:%S", "then minutes"),
        ("%m/%d", "a whole date"),
        ("%H:%M", "a whole date"),
        ("%Y-%m-%d %H:%M:%S %Z", "%z or --timezone"),
        ("%Y-%m-%d %H:%M:%S.%f", "%.f or %3f"),
        ("%s.%f", "%.f or %3f"),
        ("%m/%d/%Y %H:%m", "minutes are %M"),
        ("%d %b %Y %I:%m %p", "minutes are %M"),
        ("%Q", "neither a strftime format"),
    ] {
        let refused = format.parse::<DateForm>().unwrap_err();
        assert!(refused.contains(reason), "{format}: {refused}");
    }
}

#[test]
fn dates_of_json_have_the_format_too_unless_they_are_exact() {
    let records = r#"{"id":"r1","created":"07/01/2020 15","rating":9,"user":{"userId":"u1","createdAt":"06/01/2020 00"}}
{"id":"r2","created":"2020-07-01T00:00:00.000+01:00","rating":9}
{"id":"r3","created":"2020-07-02T00:00:00Z","rating":9}
{"id":"r4","created":"2020-07-01","rating":9}
{"id":"r5","created":"2020-07-01T00:00:00","rating":9}"#;
    let read = ["2020-07-01T13", "2020-06-30T23", "2020-07-02T00"]
        .map(|hour| format!("{hour}:00:00.000Z"));
    assert_eq!(instants("%m/%d/%Y %H", records), (read.into(), 2));
    let user = import(
        "users --timezone Europe/Prague --date-format %d.%m.%Y",
        r#"{"userId":"u1","created":"1.6.2020","lastSeen":"1.7.2020"}"#,
    );
    let [created, last_seen] =
        ["2020-05-31", "2020-06-30"].map(|day| format!("{day}T22:00:00.000Z"));
    let expected = format!(r#"{{"created":"{created}","lastSeen":"{last_seen}","userId":"u1"}}"#);
    assert_eq!(user.users, [expected]);
}

#[test]
fn dates_of_files_may_have_spaces_and_names_of_utc() {
    for (date, time) in [
        ("2026-03-01 10:00:00", "10:00:00.000"),
        ("2026-03-01 10:00", "10:00:00.000"),
        (" 2026-03-01 10:00:00.000 ", "10:00:00.000"),
        ("2026-03-01 10:00:00 UTC", "10:00:00.000"),
        ("2026-03-01T10:00:00 UTC", "10:00:00.000"),
        ("2026-03-01 10:00:00Z", "10:00:00.000"),
        ("2026-03-01 10:00:00 Z", "10:00:00.000"),
        ("2026-03-01 10:00:00 +02:00", "08:00:00.000"),
        ("2026-03-01 10:00:00-0230", "12:30:00.000"),
        ("2026-03-01 10:00:00+02", "08:00:00.000"),
        ("2026-03-01 10:00:00.123456-05", "15:00:00.123"),
    ] {
        let expected = Ok(format!(r#"{{"at":"2026-03-01T{time}Z#r1","rating":9}}"#));
        let cells = format!("id,created,rating\nr1,{date}, 9 \n");
        assert_eq!(record("responses", cells), expected, "{date}");
        let json = format!(r#"{{"id":"r1","created":"{date}","rating":9}}"#);
        assert_eq!(record("responses", json), expected, "{date}");
    }
    for date in [
        "7",
        "2026-03-01  10:00",
        "2026-03-01 10:00 CET",
        "2026-03-01 UTC",
        "2 novembre 2026",
    ] {
        let must = "created must be an ISO 8601 timestamp, such as 2026-01-31 08:30";
        let reason = format!("{must}, got {date:?}");
        assert_eq!(record("responses", table(date)), Err(reason));
    }
}

#[test]
fn cells_are_trimmed() {
    let table = "id,created,rating,dismissed,userId,name,createdAt,traits.n\n\
                 r1, 2020-01-02 , 8 , false ,u,  J , 2020-01-01 , 7\n";
    let imported = import("responses", table).whole();
    assert_eq!(
        imported.responses,
        [r#"{"at":"2020-01-02T00:00:00.000Z#r1","rating":8,"traits":{"n":7},"userId":"u"}"#]
    );
    assert!(imported.users[0].starts_with(r#"{"created":"2020-01-01T00:00:00.000Z""#));
    assert!(imported.users[0].contains(r#""name":"J""#));
    // A row with such a date is recognized within a cell that has swallowed it.
    let swallowed = "id,created,rating,traits.a\na,2020-01-01,9,\"x\nb,2020-01-02 10:00,8,y\nc,2020-01-03,7,\"\n";
    assert!(import("responses", swallowed).rejects[0].contains("which reads as a row"));
}
