//! Temporary folders are their owner's alone, and deleted by the process that created them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::outcome::succeeded;
use crate::place::{mode, temporary_folders};
use crate::process::{SERVE, Served, feedback, output, wait_for};

#[test]
fn a_temporary_folder_is_private_and_deleted_by_its_process_and_no_other() {
    let parent = tempfile::tempdir().unwrap();
    let folders = || temporary_folders(parent.path());
    let start = || feedback(SERVE).env("TMPDIR", parent.path()).spawn();
    let created_beside = |others: &BTreeSet<PathBuf>| {
        wait_for("folder", || {
            let new = &folders() - others;
            // The sample data take most of the time of a start, and come after the folder.
            let begun = new.first().filter(|it| it.join("tables.sqlite").exists());
            begun.cloned()
        })
    };
    let mut killed = start().unwrap();
    let left = created_beside(&BTreeSet::new());
    assert_eq!(mode(&left), 0o700);
    killed.kill().unwrap();
    killed.wait().unwrap();
    let living = start().unwrap();
    let used = created_beside(&[left.clone()].into());
    let living = Served::ready(living);
    let data = tempfile::tempdir().unwrap();
    let mut create = feedback(&format!("tables create --data {}", data.path().display()));
    succeeded(&output(create.env("TMPDIR", parent.path())));
    assert_eq!(folders(), [left.clone(), used].into());
    living.end();
    assert_eq!(folders(), [left].into());
}
