//! `feedback stats FILE…`: the figures of files, without a server, a project or a key.

use std::process::{Output, Stdio};

use serde_json::Value;

use crate::operator::Operator;
use crate::outcome::succeeded;
use crate::place::{Place, temporary_folders};
use crate::process::{output, output_of, send_signal, wait_for};

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
    let of_file = format!("stats ratings.csv --project acme {question}");
    let shown = run(&place, &of_file);
    assert_eq!(json(&shown), json(&asked));
    let left_out = b"ratings.csv: columns that are not imported: \"plan\"\n";
    assert!(shown.stderr.starts_with(left_out));
    let two = run(&place, "stats ratings.csv ratings.csv --json");
    assert_eq!(json(&two)["data"][0]["attributes"]["displays"], 3);
}

#[test]
fn an_interrupted_command_leaves_no_temporary_folder() {
    let place = Place::new();
    let temporary = place.path("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let folders = || temporary_folders(&temporary).len();
    let mut command = place.command("stats -");
    command.env("TMPDIR", &temporary).stdin(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let open = process.stdin.take();
    wait_for("folder", || (folders() > 0).then_some(()));
    send_signal(process.id(), "INT");
    let output = output_of(process);
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(folders(), 0);
    drop(open);
}
