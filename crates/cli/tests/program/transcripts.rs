//! What commands print in a shell, with both outputs as one, as the files of `transcripts/` show it. An exit code
//! other than 0 follows as `? CODE`. A pipe, or whatever runs after a command, would hide its exit code, so a command
//! that may fail stands alone: in a loop `|| echo "? $?"` follows it, and `first LINES COMMAND` stands for `head`.

use std::collections::BTreeSet;
use std::os::unix::process::CommandExt as _;
use std::path::Path;

use serde_json::json;
use snapbox::Redactions;
use test_support::transcript;

use crate::check::put_unread;
use crate::http::{ClosedPort, put_items, sending};
use crate::operator::Operator;
use crate::place::Place;
use crate::process::{output, script};
use crate::stats;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What precedes each command.
const PRELUDE: &str = r#"exec 2>&1
first() { lines=$1; shift; said=$("$@" 2>&1); code=$?; printf '%s\n' "$said" | head -n "$lines"; return $code; }"#;

/// Runs the commands of a transcript in a place that has the files of `files/` and of the documents, as those of an
/// operator if there is one. Variables hold what differs from time to time, such as addresses, of which the transcript
/// shows the names.
fn play(
    name: &str,
    place: &Place,
    operator: Option<&Operator>,
    variables: &[(&'static str, &str)],
) {
    for folder in ["tests/program/files", "../../tests/data"] {
        for file in std::fs::read_dir(root().join(folder)).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), place.path(file.file_name().to_str().unwrap())).unwrap();
        }
    }
    let mut redactions = Redactions::new();
    let folder = std::fs::canonicalize(place.path("")).unwrap();
    redactions.insert("[PLACE]", folder).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    redactions.insert("[VERSION]", version).unwrap();
    for (name, value) in variables {
        let shown: &str = format!("[{name}]").leak();
        redactions.insert(shown, (*value).to_owned()).unwrap();
    }
    let file = root().join(format!("tests/program/transcripts/{name}.txt"));
    transcript::play(&file, redactions, |line, input| {
        let text = [&[PRELUDE, line], input].concat().join("\n");
        let mut shell = script(&text);
        if let Some(operator) = operator {
            operator.prepare(&mut shell);
        }
        shell.current_dir(place.path(""));
        // In a group of its own, so that nothing that it has started outlives it.
        shell.envs(variables.iter().copied()).process_group(0);
        let ended = output(&mut shell);
        let mut printed = String::from_utf8(ended.stdout).unwrap();
        if !printed.is_empty() && !printed.ends_with('\n') {
            printed.push('\n');
        }
        match ended.status.code() {
            Some(0) => printed,
            code => format!("{printed}? {}\n", code.unwrap()),
        }
    });
}

/// Plays transcripts, each over what a function sets up.
macro_rules! transcripts {
    ($($set_up:ident { $($name:ident)* })*) => {
        $($(#[test] fn $name() { $set_up(stringify!($name)); })*)*

        #[test]
        fn every_transcript_is_played() {
            let played = [$($(concat!(stringify!($name), ".txt"),)*)*].map(str::to_owned);
            let files = std::fs::read_dir(root().join("tests/program/transcripts")).unwrap();
            let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
            assert_eq!(names.collect::<BTreeSet<_>>(), BTreeSet::from(played));
        }
    };
}

transcripts! {
    alone {
        credentials_of_a_folder
        credentials_that_are_revoked
        erasures
        erasures_of_projects
        errors_of_changes
        errors_of_commands
        errors_of_figures
        errors_of_places
        exports
        exports_to_files
        files_as_people_have_them
        import_summaries
        imports
        imports_of_stored_records
        imports_that_are_proposed
        names_of_folders
        options_of_imports
        records_that_grow_too_large
        refused_options_of_serve
        rejected_records
        rows_of_files
        secrets_of_standard_input
        secrets_that_exist
        stats_of_a_folder
        stats_of_files
        texts_of_help
        times_of_files
    }
    beside_another_database { backups }
    through_a_service_of_damaged_credentials { credentials_that_are_damaged }
    beside_a_service { errors_of_serve }
    over_unread_items { findings_of_a_folder }
    through_a_service_of_unread_items { findings_through_a_service }
    through_a_service { changes_through_a_service errors_of_an_api }
    through_a_service_of_figures { stats_of_a_project }
}

fn alone(name: &str) {
    play(name, &Place::new(), None, &[]);
}

fn beside_another_database(name: &str) {
    let place = Place::new();
    let other = rusqlite::Connection::open(place.path("mine.sqlite")).unwrap();
    other.execute_batch("CREATE TABLE mine (text)").unwrap();
    play(name, &place, None, &[]);
}

fn beside_a_service(name: &str) {
    let place = Place::new();
    let served = place.serve();
    play(name, &place, None, &[("TAKEN", &served.api)]);
}

fn over_unread_items(name: &str) {
    let place = Place::new();
    let served = place.serve();
    put_unread(served.dynamodb());
    served.end();
    play(name, &place, None, &[]);
}

fn through_a_service_of_unread_items(name: &str) {
    let operator = Operator::new();
    put_unread(operator.served().dynamodb());
    let api = ("API", operator.served().api.as_str());
    play(name, operator.place(), Some(&operator), &[api]);
}

fn through_a_service_of_damaged_credentials(name: &str) {
    let operator = Operator::new();
    let store = operator.served().dynamodb();
    let digest = "a".repeat(64);
    let damaged = [
        json!({"digest": {"S": digest}, "projects": {"SS": ["acme", "not a project"]}, "may": {"SS": ["users"]}}),
        json!({"digest": {"S": "NO-DIGEST"}, "projects": {"SS": ["acme"]}, "may": {"SS": ["users"]}}),
    ];
    put_items(store, "credentials", &damaged);
    play(name, operator.place(), Some(&operator), &[("STORE", store)]);
}

fn through_a_service(name: &str) {
    let operator = Operator::new();
    let nowhere = ClosedPort::reserve();
    let endless = sending("HTTP/1.1 500 Internal\r\n\r\n", true);
    let variables = [
        ("API", operator.served().api.as_str()),
        ("STORE", operator.served().dynamodb()),
        ("NOWHERE", &nowhere.address()),
        ("ENDLESS", &endless),
    ];
    play(name, operator.place(), Some(&operator), &variables);
}

fn through_a_service_of_figures(name: &str) {
    let operator = stats::operator();
    let url = ("FEEDBACK_URL", &*operator.api());
    play(name, operator.place(), Some(&operator), &[url]);
}
