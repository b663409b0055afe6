//! Temporary folders are deleted, and nothing else is.

use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant, SystemTime};

use crate::outcome::{only_line, succeeded};
use crate::place::{private_folder, temporary_folders};
use crate::process::{SERVE, Served, feedback, output};

/// A folder of temporary files.
struct Parent(tempfile::TempDir);

impl Parent {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns the private folder in which the temporary folders are.
    fn private(&self) -> PathBuf {
        private_folder(self.0.path())
    }

    fn temporary_folders(&self) -> BTreeSet<PathBuf> {
        temporary_folders(self.0.path())
    }

    fn serve(&self) -> Child {
        let mut serve = feedback(SERVE);
        serve.env("TMPDIR", self.0.path()).spawn().unwrap()
    }

    /// Opens a data folder elsewhere.
    fn open_another(&self) {
        let data = tempfile::tempdir().unwrap();
        let mut create = feedback(&format!("tables create --data {}", data.path().display()));
        succeeded(&output(create.env("TMPDIR", self.0.path())));
    }
}

/// Makes the folders in this one a minute old, because new ones may be left alone.
fn age(parent: &Path) {
    let minute_ago = SystemTime::now() - Duration::from_mins(1);
    for entry in fs::read_dir(parent).unwrap() {
        let folder = File::open(entry.unwrap().path()).unwrap();
        folder.set_modified(minute_ago).unwrap();
    }
}

#[test]
fn a_temporary_folder_is_deleted_at_the_end_or_after_a_kill_by_the_next_command_that_opens_a_folder()
 {
    let parent = Parent::new();
    // The sample data take most of the time of a start, and come after the folder.
    let created_beside = |others: &BTreeSet<_>| {
        let started = Instant::now();
        loop {
            let new = &parent.temporary_folders() - others;
            if new.iter().any(|new| new.join("tables.sqlite").exists()) {
                return new;
            }
            assert!(started.elapsed() < Duration::from_secs(10), "no folder");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    let mut killed = parent.serve();
    let abandoned = created_beside(&BTreeSet::new());
    let living = parent.serve();
    let used = created_beside(&abandoned);
    let marker = |process: &Child| format!("feedback, process {}, ", process.id());
    for (folders, process) in [(&abandoned, &killed), (&used, &living)] {
        let folder = folders.first().unwrap();
        let text = fs::read_to_string(folder.join("temporary")).unwrap();
        assert!(text.starts_with(&marker(process)), "{text}");
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    let living = Served::ready(living);
    parent.open_another();
    assert_eq!([abandoned.len(), used.len()], [1, 1]);
    assert_eq!(parent.temporary_folders(), used);
    living.end();
    assert_eq!(parent.temporary_folders(), BTreeSet::new());
}

#[test]
fn folders_of_people_are_not_deleted_whatever_their_names() {
    let parent = Parent::new();
    let create = |path: &Path| {
        fs::create_dir_all(path).unwrap();
        fs::write(
            path.join("export.csv"),
            "id,created,rating\na,2026-01-31,9\n",
        )
        .unwrap();
    };
    let mut folders = vec![
        parent.path("feedback-data-2026q3"),
        parent.path("feedback-data-"),
        parent.path("feedback-0-1"),
    ];
    let data = parent.path("feedback-data-mine");
    let mut tables = feedback(&format!("tables create --data {}", data.display()));
    succeeded(&output(&mut tables));
    fs::create_dir(parent.private()).unwrap();
    fs::set_permissions(parent.private(), Permissions::from_mode(0o700)).unwrap();
    // There, too, what has no marker is not ours.
    folders.push(parent.private().join("2026q3"));
    folders.push(data);
    for folder in &folders {
        create(folder);
    }
    age(&parent.path(""));
    age(&parent.private());
    let shown = folders[0].join("export.csv");
    let mut stats = feedback(&format!("stats {}", shown.display()));
    succeeded(&output(stats.env("TMPDIR", parent.path(""))));
    parent.open_another();
    for folder in folders {
        assert!(folder.join("export.csv").exists(), "{}", folder.display());
    }
}

#[test]
fn a_marked_folder_is_neither_followed_nor_waited_for_nor_deleted_with_what_feedback_did_not_make()
{
    let parent = Parent::new();
    fs::create_dir(parent.private()).unwrap();
    fs::set_permissions(parent.private(), Permissions::from_mode(0o700)).unwrap();
    let marked = |path: &Path| {
        fs::create_dir(path).unwrap();
        fs::write(path.join("temporary"), "feedback, process 1, 0 s\n").unwrap();
    };
    let [abandoned, foreign, piped] =
        ["abandoned", "foreign", "piped"].map(|name| parent.private().join(name));
    let elsewhere = parent.path("elsewhere");
    marked(&abandoned);
    marked(&foreign);
    marked(&elsewhere);
    fs::create_dir(foreign.join("photos")).unwrap();
    symlink(&elsewhere, parent.private().join("link")).unwrap();
    fs::create_dir(&piped).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, piped.join("temporary"), 0o600.into()).unwrap();
    age(&parent.private());
    parent.open_another();
    assert!(!abandoned.exists());
    assert!(elsewhere.join("temporary").exists());
    assert!(foreign.join("photos").exists() && piped.exists());
}

#[test]
fn a_private_folder_that_is_another_ones_a_link_or_open_to_others_is_refused_and_left_as_it_is() {
    for hindrance in ["open", "link", "file", "foreign"] {
        let parent = Parent::new();
        let private = parent.private();
        match hindrance {
            "open" => {
                fs::create_dir(&private).unwrap();
                fs::set_permissions(&private, Permissions::from_mode(0o755)).unwrap();
            }
            "link" => {
                fs::create_dir(parent.path("target")).unwrap();
                let private_mode = Permissions::from_mode(0o700);
                fs::set_permissions(parent.path("target"), private_mode).unwrap();
                symlink("target", &private).unwrap();
            }
            "file" => fs::write(&private, "").unwrap(),
            _ => {
                fs::create_dir(&private).unwrap();
                fs::set_permissions(&private, Permissions::from_mode(0o700)).unwrap();
                // Only a privileged user can give a folder away.
                if std::os::unix::fs::chown(&private, Some(1), None).is_err() {
                    continue;
                }
            }
        }
        let records = parent.path("records.csv");
        fs::write(&records, "id,created,rating\na,2026-01-31,9\n").unwrap();
        let mut stats = feedback(&format!("stats {}", records.display()));
        let line = only_line(&output(stats.env("TMPDIR", parent.path(""))));
        assert!(
            line.contains("is not a private folder of this user"),
            "{hindrance}: {line}"
        );
        let inside = fs::read_dir(&private).map_or(0, Iterator::count);
        assert_eq!(inside, 0, "{hindrance}");
    }
}
