//! An import that is killed.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::operator::sorted_lines;
use crate::process::{feedback, run, succeeded};

const RECORDS: usize = 6000;

fn write_records(path: &Path) {
    let mut records = String::new();
    for n in 0..RECORDS {
        writeln!(
            records,
            r#"{{"id":"r{n}","created":"2020-01-01T00:{:02}:{:02}Z","rating":{},"user":{{"userId":"u{}","traits":{{"n":{n}}}}}}}"#,
            n / 60 % 60, n % 60, n % 11, n % 300
        )
        .unwrap();
    }
    std::fs::write(path, records).unwrap();
}

/// A data folder and the file that is imported into it.
struct Target {
    folder: PathBuf,
    file: PathBuf,
}

impl Target {
    fn import(&self) -> [&str; 7] {
        let (file, folder) = (self.file.to_str().unwrap(), self.folder.to_str().unwrap());
        [
            "import",
            "responses",
            file,
            "--project",
            "acme",
            "--data",
            folder,
        ]
    }

    /// Starts an import and kills it as soon as it has written records.
    fn kill_an_import(&self) {
        let mut process = feedback(&self.import()).spawn().unwrap();
        let started = Instant::now();
        let database = self.folder.join("tables.sqlite");
        let has_written = || -> rusqlite::Result<bool> {
            let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
            let database = rusqlite::Connection::open_with_flags(&database, flags)?;
            let written = "SELECT EXISTS (SELECT 1 FROM responses)";
            database.query_row(written, [], |row| row.get(0))
        };
        // Before the first transaction, there may be no table, or no database.
        while !has_written().unwrap_or_default() {
            assert!(started.elapsed() < Duration::from_secs(30));
            assert!(process.try_wait().unwrap().is_none(), "it has ended");
            std::thread::sleep(Duration::from_millis(2));
        }
        process.kill().unwrap();
        process.wait().unwrap();
    }

    #[track_caller]
    fn export(&self, kind: &str) -> Vec<String> {
        let data = ["--data", self.folder.to_str().unwrap()];
        let export = ["export", kind, "--project", "acme"];
        sorted_lines(&succeeded(&run(&[&export[..], &data].concat())))
    }
}

#[test]
fn a_killed_import_continues_without_lost_or_duplicate_records() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("records.ndjson");
    write_records(&file);
    let [killed, whole] = ["killed", "whole"].map(|name| Target {
        folder: folder.path().join(name),
        file: file.clone(),
    });
    killed.kill_an_import();
    let written = killed.export("responses").len();
    assert!((1..RECORDS).contains(&written), "killed halfway: {written}");
    let summary = succeeded(&run(&killed.import()));
    let missing = RECORDS - written;
    assert_eq!(
        summary,
        format!("responses: {missing} written, {written} unchanged, 0 rejected\n")
    );
    succeeded(&run(&whole.import()));
    for kind in ["responses", "users"] {
        assert!(killed.export(kind) == whole.export(kind), "{kind}");
    }
    assert_eq!(whole.export("responses").len(), RECORDS);
    assert_eq!(whole.export("users").len(), 300);
}
