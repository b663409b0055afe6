//! What commands print in a shell, with both outputs as one, as the files of `transcripts/` show it. An exit code
//! other than 0 follows as `? CODE`.

use std::path::Path;
use std::process::Command;

use snapbox::Redactions;
use test_support::transcript;

use crate::check::put_unread;
use crate::http::{ClosedPort, sending};
use crate::operator::Operator;
use crate::place::Place;
use crate::process::{output, script};
use crate::stats;

/// Runs the commands of a transcript in a place that has the files of `files/` and of the documents. Variables hold
/// what differs from time to time, such as addresses, of which the transcript shows the names.
fn play(
    name: &str,
    place: &Place,
    variables: &[(&'static str, &str)],
    set_up: impl Fn(&mut Command),
) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["tests/program/files", "../../tests/data"] {
        for file in std::fs::read_dir(root.join(folder)).unwrap() {
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
    let file = root.join(format!("tests/program/transcripts/{name}.txt"));
    transcript::play(&file, redactions, |line, input| {
        let text = [&["exec 2>&1", line], input].concat().join("\n");
        let mut shell = script(&text);
        shell.current_dir(place.path(""));
        set_up(shell.envs(variables.iter().copied()));
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

macro_rules! transcripts {
    ($($name:ident)*) => {
        $(#[test] fn $name() {
            play(stringify!($name), &Place::new(), &[], |_| {});
        })*
    };
}

transcripts! {
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
    options_of_serve
    records_that_grow_too_large
    rejected_records
    secrets_of_standard_input
    secrets_that_exist
    stats_of_a_folder
    stats_of_files
    texts_of_help
    times_of_files
}

#[test]
fn backups() {
    let place = Place::new();
    let other = rusqlite::Connection::open(place.path("mine.sqlite")).unwrap();
    other.execute_batch("CREATE TABLE mine (text)").unwrap();
    play("backups", &place, &[], |_| {});
}

#[test]
fn errors_of_an_api() {
    let operator = Operator::new();
    let (api, store) = (&operator.served().api, operator.served().dynamodb());
    let nowhere = ClosedPort::reserve();
    let endless = sending("HTTP/1.1 500 Internal\r\n\r\n", true);
    let variables = [
        ("API", api.as_str()),
        ("STORE", store),
        ("NOWHERE", &nowhere.address()),
        ("ENDLESS", &endless),
    ];
    play("errors_of_an_api", operator.place(), &variables, |shell| {
        operator.prepare(shell);
    });
}

#[test]
fn errors_of_serve() {
    let place = Place::new();
    let served = place.serve();
    let variables = [("TAKEN", served.api.as_str())];
    play("errors_of_serve", &place, &variables, |_| {});
}

#[test]
fn findings_of_a_folder() {
    let place = Place::new();
    let served = place.serve();
    put_unread(served.dynamodb());
    served.end();
    play("findings_of_a_folder", &place, &[], |_| {});
}

#[test]
fn findings_through_a_service() {
    let operator = Operator::new();
    put_unread(operator.served().dynamodb());
    let variables = [("API", operator.served().api.as_str())];
    let set_up = |shell: &mut Command| {
        operator.prepare(shell);
    };
    play(
        "findings_through_a_service",
        operator.place(),
        &variables,
        set_up,
    );
}

#[test]
fn stats_of_a_project() {
    let operator = stats::operator();
    let variables = [("FEEDBACK_URL", &*operator.api())];
    let set_up = |shell: &mut Command| {
        operator.prepare(shell);
    };
    play("stats_of_a_project", operator.place(), &variables, set_up);
}
