//! `feedback import`: dates in other formats than ISO 8601.

use crate::operator::Operator;
use crate::process::{error_line, failed, output, succeeded};

/// Imports a file of this content with this format of dates; returns the instants that were imported.
#[track_caller]
fn instants(content: &str, format: &str, code: i32) -> Vec<String> {
    let operator = Operator::new();
    operator.file("file", content);
    let mut command = operator.command("import responses file --project acme");
    command.args(["--date-format", format, "--timezone", "Europe/Prague"]);
    let output = output(&mut command);
    assert_eq!(output.status.code(), Some(code), "{format}: {output:?}");
    let exported = operator.export("responses").join("\n");
    let dates = exported.split("\"created\":\"").skip(1);
    let dates = dates.filter_map(|rest| rest.split('"').next());
    dates.map(str::to_owned).collect()
}

fn table(cell: &str) -> String {
    format!("id,created,rating\nr1,{cell},9\n")
}

#[test]
fn a_date_alone_is_its_midnight_and_an_hour_alone_that_hour() {
    for (format, cell, instant) in [
        ("%m/%d/%Y", "07/01/2020", "2020-06-30T22:00:00.000Z"),
        ("%m/%d/%Y %H", "07/01/2020 15", "2020-07-01T13:00:00.000Z"),
        (
            "%m/%d/%Y %I %p",
            "07/01/2020 3 PM",
            "2020-07-01T13:00:00.000Z",
        ),
        (
            "%d.%m.%y %I:%M%P",
            "1.7.20 12:30am",
            "2020-06-30T22:30:00.000Z",
        ),
        (
            "%m/%d/%Y %z",
            "07/01/2020 -0500",
            "2020-07-01T05:00:00.000Z",
        ),
        (
            "%Y-%m-%d %H:%M %#z",
            "2020-07-01 10:30 -05",
            "2020-07-01T15:30:00.000Z",
        ),
        ("%s", "1593610200", "2020-07-01T13:30:00.000Z"),
        ("%s%.f", "1593610200.750", "2020-07-01T13:30:00.750Z"),
        (
            "%d.%m.%Y %H:%M:%S.%3f",
            "01.07.2020 15:30:00.750",
            "2020-07-01T13:30:00.750Z",
        ),
        ("%G-W%V-%u", "2020-W27-3", "2020-06-30T22:00:00.000Z"),
    ] {
        assert_eq!(instants(&table(cell), format, 0), [instant], "{format}");
    }
}

#[test]
fn a_cell_that_does_not_match_the_whole_format_is_rejected() {
    for (format, cell) in [
        ("%m/%d/%Y %H", "07/01/2020 15:30"),
        ("%m/%d/%Y", "07/01/2020 15:30"),
        ("%m/%d/%Y %I:%M %p", "07/01/2020 3:30"),
        ("%m/%d/%Y %H:%M", "07/01/2020 3:30 PM"),
        ("%m/%d/%Y", "2020-07-01T00:00:00Z"),
    ] {
        assert_eq!(instants(&table(cell), format, 2), [""; 0], "{format}");
    }
}

#[test]
fn a_format_that_does_not_tell_instants_is_refused_before_anything_is_read() {
    let operator = Operator::new();
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
    ] {
        let mut command = operator.command("import responses missing --project acme");
        command.args(["--date-format", format]);
        let errors = failed(&output(&mut command), 2);
        assert!(errors.contains(reason), "{format}: {errors}");
    }
}

#[test]
fn dates_of_json_have_the_format_too_unless_they_are_exact() {
    let records = r#"{"id":"r1","created":"07/01/2020 15","rating":9,"user":{"userId":"u1","createdAt":"06/01/2020 00"}}
{"id":"r2","created":"2020-07-01T00:00:00.000+01:00","rating":9}
{"id":"r3","created":"2020-07-02T00:00:00Z","rating":9}
{"id":"r4","created":"2020-07-01","rating":9}
{"id":"r5","created":"2020-07-01T00:00:00","rating":9}"#;
    assert_eq!(
        instants(records, "%m/%d/%Y %H", 2),
        [
            "2020-07-01T13:00:00.000Z",
            "2020-06-30T23:00:00.000Z",
            "2020-07-02T00:00:00.000Z"
        ]
    );
    let operator = Operator::new();
    operator.file(
        "users.ndjson",
        r#"{"userId":"u1","created":"1.6.2020","lastSeen":"1.7.2020"}"#,
    );
    let import =
        "import users users.ndjson --project acme --timezone Europe/Prague --date-format %d.%m.%Y";
    succeeded(&operator.run(import));
    let user = &operator.users()[0];
    assert_eq!(user["created"], "2020-05-31T22:00:00.000Z");
    assert_eq!(user["lastSeen"], "2020-06-30T22:00:00.000Z");
}

#[test]
fn string_traits_is_refused_with_json() {
    let operator = Operator::new();
    operator.file("users.ndjson", r#"{"userId":"u1","traits":{"n":1}}"#);
    let output = operator.run("import users users.ndjson --project acme --string-traits");
    let line = error_line(&output);
    assert!(
        line.contains("--string-traits") && line.contains("this is JSON"),
        "{line}"
    );
    assert_eq!(operator.users().len(), 0);
}

#[test]
fn a_year_of_two_digits_is_rejected_where_the_format_has_four() {
    let operator = Operator::new();
    operator.file("survey.csv", "id,created,rating\nr1,01/02/26,9\n");
    let mut command = operator.command("import responses survey.csv --project acme");
    command.args(["--date-format", "%m/%d/%Y"]);
    let message = failed(&output(&mut command), 2);
    let reason = r#"survey.csv:2: created: "01/02/26" is not in the years 1000 to 9999"#;
    assert!(message.contains(reason), "{message}");
}

#[test]
fn local_times_that_clocks_skip_are_rejected_and_the_first_of_two_is_taken() {
    let operator = Operator::new();
    let table =
        "id,created,rating\nr1,2026-10-25 02:30,9\nr2,2026-03-29 02:30,9\nr3,2150-07-01 00:30,9\n";
    operator.file("survey.csv", table);
    let mut command = operator.command("import responses survey.csv --project acme");
    command.args([
        "--date-format",
        "%Y-%m-%d %H:%M",
        "--timezone",
        "Europe/Prague",
    ]);
    let message = failed(&output(&mut command), 2);
    let skipped = r#"survey.csv:3: created: "2026-03-29 02:30" does not exist in Europe/Prague, where clocks were set forward"#;
    assert!(message.contains(skipped), "{message}");
    // Summer time has no last year.
    for minute in ["2026-10-25T00:3", "2150-06-30T22:3"] {
        let period = format!("--start {minute}0 --end {minute}1");
        let line = format!("stats --project acme --json {period}");
        let figures = succeeded(&operator.request(&line));
        assert!(figures.contains(r#""displays":1,"#), "{minute}: {figures}");
    }
}
