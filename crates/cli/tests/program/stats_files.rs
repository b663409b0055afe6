//! `feedback stats FILE…`: the figures of files, without a server, a project or a key.

use std::process::Output;

use serde_json::Value;

use crate::operator::Operator;
use crate::outcome::{failed, only_line, succeeded};
use crate::place::{Place, temporary_folders};
use crate::process::{output, rows};

const RATINGS: &str = "\
created,rating,plan,traits.country
2026-03-01T23:30:00Z,9,pro,CZ
2026-03-15,3,free,CZ
2026-04-02,10,pro,DE
";

/// Runs a command in a place with the ratings, whose temporary files are in `temporary`.
fn run(place: &Place, line: &str) -> Output {
    place.file("ratings.csv", RATINGS);
    let temporary = place.path("temporary");
    let _ = std::fs::create_dir(&temporary);
    let output = output(place.command(line).env("TMPDIR", &temporary));
    let left = temporary_folders(&temporary);
    assert!(left.is_empty(), "{line}: a temporary folder is left");
    output
}

fn json(output: &Output) -> Value {
    serde_json::from_str(&succeeded(output)).unwrap()
}

#[test]
fn the_figures_of_a_file_are_those_of_a_served_project_with_its_records() {
    let operator = Operator::with_responses(RATINGS);
    let place = Place::new();
    let question = "--json --interval month --group-by country --confidence 90";
    let period = "--start 2026-03-01 --end 2026-04-03";
    let asked = operator.request(&format!("stats --project acme {question} {period}"));
    let shown = run(
        &place,
        &format!("stats ratings.csv --project acme {question}"),
    );
    assert_eq!(json(&shown), json(&asked));
    assert!(
        shown
            .stderr
            .starts_with(b"ratings.csv: columns that are not imported: \"plan\"\n")
    );
    let two = run(&place, "stats ratings.csv ratings.csv --json");
    assert_eq!(json(&two)["data"][0]["attributes"]["displays"], 3);
}

#[test]
fn the_period_is_that_of_the_records_in_the_time_zone() {
    let place = Place::new();
    for (options, heading) in rows(
        "
        ratings.csv => ratings, 1 Mar – 2 Apr 2026 (UTC)
        ratings.csv --timezone Europe/Prague => ratings, 2 Mar – 2 Apr 2026 (Europe/Prague)
        ratings.csv --start 2026-03-10 => ratings, 10 Mar – 2 Apr 2026 (UTC)
        ratings.csv --period 2026-03 => ratings, 1 Mar – 31 Mar 2026 (UTC)
        ratings.csv --end 2026-03-10 --project acme => acme, 1 Mar – 9 Mar 2026 (UTC)
        ",
    ) {
        let drawn = succeeded(&run(&place, &format!("stats {options}")));
        assert_eq!(drawn.lines().next(), Some(heading), "{options}");
    }
    place.file("local.csv", "created,rating\n02.03.2026/00:30,9\n");
    let read = "--date-format %d.%m.%Y/%H:%M --timezone Europe/Prague --json --interval all";
    let document = json(&run(&place, &format!("stats local.csv {read}")));
    let start = &document["data"][0]["attributes"]["start"];
    assert_eq!(start, "2026-03-02T00:00:00.000+01:00", "one zone for both");
    let last = r#"{"id":"a","created":"9999-12-31T23:59:59.998Z","rating":9}"#;
    place.file("last.ndjson", last);
    let document = json(&run(&place, "stats last.ndjson --json"));
    assert_eq!(document["data"][0]["attributes"]["responses"], 1);
}

#[test]
fn records_of_the_first_year_are_read_in_every_zone() {
    let place = Place::new();
    place.file("old.csv", "created,rating\n0001-01-01T00:00:00Z,9\n");
    for zone in ["America/New_York", "Asia/Tokyo", "UTC"] {
        let shown = run(&place, &format!("stats old.csv --json --timezone {zone}"));
        assert_eq!(
            json(&shown)["data"][0]["attributes"]["responses"],
            1,
            "{zone}"
        );
    }
}

#[test]
fn a_column_that_is_not_imported_is_refused_with_the_option_that_imports_it() {
    let place = Place::new();
    let json = r#"{"id":"a","created":"2026-03-01","rating":9,"your plan":"pro"}"#;
    place.file("record.ndjson", json);
    let two = "created,rating,Plan,plan\n2026-03-01,9,A,b\n";
    place.file("two.csv", two);
    for (arguments, refusal) in rows(
        "
        ratings.csv --group-by plan => `plan` is not imported; add --map traits.plan
        ratings.csv --group-by Plan --csv => `Plan` is not imported; add --map traits.Plan=plan
        ratings.csv --filter plan=ne:pro => `plan` is not imported; add --map traits.plan
        record.ndjson --group-by your\u{a0}plan => `your plan` is not imported; add --map 'traits.your plan'
        two.csv --group-by plan => `plan` is not imported; add --map traits.plan
        ratings.csv --group-by plam => no record of this period has the string `plam` (--traits lists what there is)
        ",
    ) {
        let mut command = place.command("stats");
        let arguments = arguments.split(' ').map(|it| it.replace('\u{a0}', " "));
        place.file("ratings.csv", RATINGS);
        let error = failed(&output(command.args(arguments)), 2);
        let last = error.lines().last().unwrap();
        assert_eq!(last, format!("feedback: {refusal}"));
    }
    place.file("bare.csv", "created,rating\n2026-03-01,9\n");
    let listed = succeeded(&run(&place, "stats bare.csv --traits"));
    assert_eq!(listed, "No record of this period has a trait.\n");
    let grouped = "stats ratings.csv --group-by plan --map traits.plan --json";
    let document = self::json(&run(&place, grouped));
    let groups = document["data"].as_array().unwrap().iter();
    let groups: Vec<_> = groups.map(|it| &it["attributes"]["group"]).collect();
    assert_eq!(groups, ["pro", "free"]);
    // Another file may have the trait.
    place.file("other.csv", RATINGS.replace("plan", "traits.plan"));
    succeeded(&run(&place, "stats other.csv ratings.csv --group-by plan"));
}

#[test]
fn rejected_and_skipped_records_are_counted_and_half_a_file_has_no_figures() {
    let place = Place::new();
    let record = |id: u8, campaign: &str, rating: u8| {
        format!(
            "{{\"id\":{id},\"created\":\"2026-03-01\",\"rating\":{rating},\"campaign\":\"{campaign}\"}}\n"
        )
    };
    place.file(
        "mixed.ndjson",
        [record(1, "a", 9), record(2, "b", 9), record(3, "a", 11)].concat(),
    );
    let output = run(&place, "stats mixed.ndjson --where campaign=a");
    let drawn = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(
        drawn.contains("NPS 100.0") && drawn.contains("1 of 2 rows"),
        "{drawn}"
    );
    let said = failed(&output, 2);
    let counts = "\n1 record read, 1 rejected, 1 skipped\n";
    assert!(said.ends_with(counts), "{said}");
    place.file("bad.ndjson", record(1, "a", 11));
    let said = failed(&run(&place, "stats bad.ndjson"), 1);
    let reason = "\nfeedback: no record can be used: 1 rejected\n";
    assert!(said.ends_with(reason), "{said}");
    place.file("empty.csv", "created,rating\n");
    let said = failed(&run(&place, "stats empty.csv"), 1);
    let reason = "feedback: the files have no record to count\n";
    assert!(said.ends_with(reason), "{said}");
    place.file(
        "cut.json",
        format!("{{\"responses\":[{}", record(1, "a", 9)),
    );
    let output = run(&place, "stats cut.json");
    assert!(output.stdout.is_empty(), "{output:?}");
    assert!(failed(&output, 1).contains("feedback: cut.json: "));
    let missing = only_line(&run(&place, "stats missing.csv"));
    assert!(missing.contains("cannot open missing.csv"), "{missing}");
}

#[test]
fn a_mistyped_value_of_a_filter_is_told_from_one_that_nobody_has() {
    let place = Place::new();
    for (value, meant) in [
        ("fre", "\nDid you mean plan=eq:free?\n"),
        ("enterprise", ""),
    ] {
        let line = format!("stats ratings.csv --map traits.plan --filter plan=eq:{value}");
        let drawn = succeeded(&run(&place, &line));
        let (_, rest) = drawn
            .split_once("Nothing matches these filters in this period.")
            .expect(&drawn);
        assert_eq!(
            rest.trim_start_matches('\n'),
            meant.trim_start_matches('\n'),
            "{value}"
        );
    }
}

#[test]
fn the_environment_of_an_api_is_ignored_and_its_options_are_refused() {
    let place = Place::new();
    place.file("ratings.csv", RATINGS);
    let mut command = place.command("stats ratings.csv --json");
    command.env("FEEDBACK_URL", "no address");
    json(&output(command.env("FEEDBACK_READ_KEY", "a\nb")));
    for line in [
        "stats ratings.csv --url http://127.0.0.1:1",
        "stats ratings.csv --data data",
        "stats --data data --project acme --url http://127.0.0.1:1",
        "stats --project acme --map traits.plan",
        "stats --project acme --keep method",
        "stats --project acme --private-traits plan",
        "stats --data data --project acme --map traits.plan",
        "stats",
    ] {
        let error = failed(&run(&place, line), 2);
        assert!(error.starts_with("error: the "), "{line}: {error}");
    }
}

#[test]
fn an_interrupted_command_leaves_no_temporary_folder() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    use crate::process::{output_of, send_signal};

    let place = Place::new();
    let temporary = place.path("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let folders = || temporary_folders(&temporary).len();
    let mut command = place.command("stats -");
    command.env("TMPDIR", &temporary).stdin(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let open = process.stdin.take();
    let started = Instant::now();
    while folders() == 0 {
        assert!(started.elapsed() < Duration::from_secs(10), "no folder");
        std::thread::sleep(Duration::from_millis(5));
    }
    send_signal(process.id(), "INT");
    let output = output_of(process);
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(folders(), 0);
    drop(open);
}
