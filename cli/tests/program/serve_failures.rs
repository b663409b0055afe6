//! `feedback serve` with an address or a data folder that it cannot use.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::Path;

use crate::http::status;
use crate::process::{FREE_PORTS, Served, imported, only_line, output, restricted, run};

/// Starts `feedback serve` with these addresses; returns its error.
#[track_caller]
fn serve_at(listen: &str, dynamodb_listen: &str) -> String {
    only_line(&run(&[
        "serve",
        "--listen",
        listen,
        "--dynamodb-listen",
        dynamodb_listen,
    ]))
}

/// Starts `feedback serve` over this data folder; returns its error.
#[track_caller]
fn serve_from(folder: &Path) -> String {
    let data = ["--data", folder.to_str().unwrap()];
    only_line(&run(&[&FREE_PORTS[..], &data].concat()))
}

#[test]
fn an_unusable_address_is_reported_in_one_line_with_its_option() {
    const FREE: &str = "127.0.0.1:0";
    let listener = TcpListener::bind(FREE).unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    for (line, option) in [
        (serve_at(&taken, FREE), "--listen"),
        (serve_at(FREE, &taken), "--dynamodb-listen"),
    ] {
        assert_eq!(
            line,
            format!(
                "feedback: cannot listen on {taken} ({option}): Address already in use; {option} 127.0.0.1:0 takes a free port\n"
            )
        );
    }
    let line = serve_at("nowhere", FREE);
    let beginning = "feedback: cannot listen on nowhere (--listen): ";
    assert!(line.starts_with(beginning), "{line}");
}

#[test]
fn a_taken_address_leaves_no_data_folder_behind() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let arguments = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--dynamodb-listen",
        &taken,
    ];
    let data_option = ["--data", data.to_str().unwrap()];
    only_line(&run(&[&arguments[..], &data_option].concat()));
    assert!(!data.exists());
}

#[test]
fn an_unusable_data_folder_is_reported_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let line = serve_from(&file);
    let beginning = format!("feedback: cannot use the data folder {}: ", file.display());
    assert!(line.starts_with(&beginning), "{line}");

    let damaged = folder.path().join("damaged");
    std::fs::create_dir(&damaged).unwrap();
    let database = damaged.join("tables.sqlite");
    let content = "this is no database, but long enough to be read as one".repeat(100);
    std::fs::write(&database, &content).unwrap();
    let line = serve_from(&damaged);
    let beginning = format!("feedback: cannot open {}: ", database.display());
    assert!(line.starts_with(&beginning), "{line}");
    assert_eq!(std::fs::read_to_string(&database).unwrap(), content);

    let used = folder.path().join("used");
    let _served = Served::with_data(&used);
    let reason = format!(
        "feedback: the data folder {} is in use by another feedback\n",
        used.display()
    );
    assert_eq!(serve_from(&used), reason);
}

#[test]
fn messages_that_cannot_be_written_end_nothing() {
    const FULL: &str = "exec 2>/dev/full; exec";
    let mut served = restricted(FULL, &FREE_PORTS).spawn().unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(served.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on http://");
    let statuses = address.map(|api| [(); 3].map(|()| status(api, "/health", "Accept: */*")));
    served.kill().unwrap();
    served.wait().unwrap();
    assert_eq!(statuses, Some([200; 3]));

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("record.ndjson");
    std::fs::write(&file, r#"{"id":"r","created":"2020-01-01","rating":9}"#).unwrap();
    let data = folder.path().join("data");
    let [file, data] = [&file, &data].map(|path| path.to_str().unwrap());
    let import = |project| {
        [
            "import",
            "responses",
            file,
            "--project",
            project,
            "--data",
            data,
        ]
    };
    let ended = output(&mut restricted(FULL, &import("acme")));
    assert_eq!(
        imported(&ended),
        "responses: 1 written, 0 unchanged, 0 rejected\n"
    );
    let refused = output(&mut restricted(FULL, &import("no project")));
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
}
