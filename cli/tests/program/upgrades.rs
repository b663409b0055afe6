//! Data folders and exports that earlier and later versions wrote.

use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use base64::Engine as _;
use rusqlite::Connection;

use crate::http::get;
use crate::operator::sorted_lines;
use crate::process::{FREE_PORTS, Served, feedback, only_line, run, succeeded};

const TABLES: &[u8] = include_bytes!("upgrades/tables.sqlite.gz");
const RESPONSES: &str = include_str!("upgrades/responses.ndjson");
const USERS: &str = include_str!("upgrades/users.ndjson");
const READ_KEY: &str = "AuthKey: legacy-read-key-0000";
const PASSWORD: &str = "reports:legacy-password-0000";

const STATISTICS: &str =
    "/api/v2/response-statistics?project=acme&startDate=1970-01-01&endDate=2030-01-01";

/// A folder of the version before layouts had one.
fn old_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut tables = Vec::new();
    let mut unpacked = flate2::read::GzDecoder::new(TABLES);
    unpacked.read_to_end(&mut tables).unwrap();
    std::fs::write(folder.path().join("tables.sqlite"), tables).unwrap();
    folder
}

/// The same, with so many records more that making their index takes a while.
fn large_old_folder() -> tempfile::TempDir {
    let folder = old_folder();
    let rows = "WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 200000)
        INSERT INTO responses (pk, sk, item_json, item_size)
        SELECT 'S:acme#' || (n % 4), printf('S:2025-01-01T00:00:00.000Z#%08d', n),
               printf('{\"at\":{\"S\":\"2025-01-01T00:00:00.000Z#%08d\"},\"rating\":{\"N\":\"%d\"}}', n, n % 11), 60 FROM n";
    database(folder.path()).execute(rows, []).unwrap();
    folder
}

fn database(folder: &Path) -> Connection {
    Connection::open(folder.join("tables.sqlite")).unwrap()
}

/// Returns the version of the layout, and whether the responses have their index.
fn layout(folder: &Path) -> (i64, bool) {
    let database = database(folder);
    let version = database.query_row("PRAGMA user_version", [], |row| row.get(0));
    let index = "SELECT count(*) FROM sqlite_schema WHERE name = 'responses::outcomes'";
    let index = database.query_row(index, [], |row| row.get::<_, i64>(0));
    (version.unwrap(), index.unwrap() == 1)
}

fn body(served: &Served, target: &str, header: &str) -> String {
    let response = get(&served.api, target, header);
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    response.split_once("\r\n\r\n").unwrap().1.to_owned()
}

fn export(folder: &Path, kind: &str) -> String {
    let data = folder.to_str().unwrap();
    succeeded(&run(&["export", kind, "--project", "acme", "--data", data]))
}

#[test]
fn a_folder_of_the_version_before_is_upgraded_and_read() {
    let folder = old_folder();
    assert_eq!(layout(folder.path()), (0, false));
    let mut served = Served::with_data(folder.path());
    let figures = body(&served, STATISTICS, READ_KEY);
    let account = base64::engine::general_purpose::STANDARD.encode(PASSWORD);
    let account = format!("Authorization: Basic {account}");
    let users = body(&served, "/api/users?project=acme&limit=1000", &account);
    served.signal("TERM");
    served.wait();
    assert_eq!(layout(folder.path()), (1, true));
    assert_eq!(users.matches("\"userId\"").count(), USERS.lines().count());
    for (kind, lines) in [("responses", RESPONSES), ("users", USERS)] {
        assert_eq!(
            sorted_lines(&export(folder.path(), kind)),
            sorted_lines(lines)
        );
    }

    // The exports of that version, imported by this one.
    let new = tempfile::tempdir().unwrap();
    let data = new.path().join("data");
    for kind in ["responses", "users"] {
        let file = format!(
            "{}/tests/program/upgrades/{kind}.ndjson",
            env!("CARGO_MANIFEST_DIR")
        );
        let data = data.to_str().unwrap();
        let import = ["import", kind, &file, "--project", "acme", "--data", data];
        succeeded(&run(&import));
    }
    assert_eq!(export(&data, "users"), export(folder.path(), "users"));
    let data = data.to_str().unwrap();
    let mut create = feedback(&["credentials", "create-read-key", "--project", "acme"]);
    let key = succeeded(&create.args(["--data", data]).output().unwrap());
    let served = Served::start(&["--data", data]);
    let key = format!("AuthKey: {}", key.trim());
    assert_eq!(body(&served, STATISTICS, &key), figures);
}

#[test]
fn a_folder_of_a_later_version_is_refused_and_left_as_it_is() {
    let folder = old_folder();
    database(folder.path())
        .pragma_update(None, "user_version", 99)
        .unwrap();
    let file = folder.path().join("tables.sqlite");
    let before = std::fs::read(&file).unwrap();
    let copies = tempfile::tempdir().unwrap();
    let copy = copies.path().join("copy.sqlite");
    let export = format!(
        "{}/tests/program/upgrades/users.ndjson",
        env!("CARGO_MANIFEST_DIR")
    );
    let serve = FREE_PORTS;
    for command in [
        &serve[..],
        &["import", "users", &export, "--project", "acme"],
        &["export", "users", "--project", "acme"],
        &["erase", "--project", "acme", "--all", "--yes"],
        &["credentials", "list"],
        &["tables", "create"],
        &["backup", copy.to_str().unwrap()],
    ] {
        let data = ["--data", folder.path().to_str().unwrap()];
        let line = only_line(&run(&[command, &data].concat()));
        let reason = "a newer version of feedback wrote it";
        assert!(line.contains(reason), "{command:?}: {line}");
    }
    assert_eq!(std::fs::read(&file).unwrap(), before);
    assert!(!copy.exists());
}

#[test]
fn an_upgrade_that_is_killed_leaves_the_folder_as_it_was() {
    let folder = large_old_folder();
    let data = folder.path().to_str().unwrap();
    let command = ["tables", "create", "--data", data];
    let mut upgrading = feedback(&command).spawn().unwrap();
    let started = Instant::now();
    let log = folder.path().join("tables.sqlite-wal");
    while std::fs::metadata(&log).map_or(0, |log| log.len()) < 100_000 {
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "nothing is written"
        );
        assert!(upgrading.try_wait().unwrap().is_none(), "it was too quick");
        std::thread::sleep(Duration::from_millis(1));
    }
    upgrading.kill().unwrap();
    upgrading.wait().unwrap();
    assert_eq!(layout(folder.path()), (0, false));
    succeeded(&run(&command));
    assert_eq!(layout(folder.path()), (1, true));
}

#[test]
fn a_folder_is_upgraded_by_commands_that_load_or_serve_it_and_by_no_others() {
    let folder = old_folder();
    let data = ["--data", folder.path().to_str().unwrap()];
    let run = |command: &[&str]| succeeded(&run(&[command, &data].concat()));
    run(&["export", "users", "--project", "acme"]);
    run(&["credentials", "list"]);
    run(&["credentials", "create-read-key", "--project", "acme"]);
    run(&["erase", "--project", "acme", "--user-id", "nobody", "--yes"]);
    assert_eq!(layout(folder.path()), (0, false));
    let file = format!(
        "{}/tests/program/upgrades/users.ndjson",
        env!("CARGO_MANIFEST_DIR")
    );
    run(&["import", "users", &file, "--project", "acme"]);
    assert_eq!(layout(folder.path()), (1, true));
}

#[test]
fn an_erasure_and_a_backup_keep_the_index_and_the_version() {
    let folder = old_folder();
    let data = ["--data", folder.path().to_str().unwrap()];
    let run = |command: &[&str]| succeeded(&run(&[command, &data].concat()));
    run(&["tables", "create"]);
    run(&["erase", "--project", "acme", "--all", "--yes"]);
    assert_eq!(layout(folder.path()), (1, true));
    let copies = tempfile::tempdir().unwrap();
    let copy = copies.path().join("tables.sqlite");
    run(&["backup", copy.to_str().unwrap()]);
    assert_eq!(layout(copies.path()), (1, true));
}
