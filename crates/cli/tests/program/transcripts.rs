//! What commands print in a shell, with both outputs as one, as the files of `transcripts/` show it. An exit code
//! other than 0 follows as `? CODE`.

use std::path::Path;
use std::process::Command;

use snapbox::Redactions;
use test_support::transcript;

use crate::place::Place;
use crate::process::{output, script};
use crate::stats;

/// Runs the commands of a transcript in a place that has the files of `files/` and of the documents.
fn play(name: &str, place: &Place, set_up: impl Fn(&mut Command)) {
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
    let file = root.join(format!("tests/program/transcripts/{name}.txt"));
    transcript::play(&file, redactions, |line, input| {
        let text = [&["exec 2>&1", line], input].concat().join("\n");
        let mut shell = script(&text);
        set_up(shell.current_dir(place.path("")));
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
            play(stringify!($name), &Place::new(), |_| {});
        })*
    };
}

transcripts! {
    credentials_of_a_folder
    erasures
    errors_of_arguments
    files_as_people_have_them
    import_summaries
    imports
    stats_of_files
    texts_of_help
}

#[test]
fn stats_of_a_project() {
    let operator = stats::operator();
    let api = operator.api();
    play("stats_of_a_project", operator.place(), |shell| {
        operator.prepare(shell).env("FEEDBACK_URL", &api);
    });
}
