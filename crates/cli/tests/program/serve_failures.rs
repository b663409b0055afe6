//! `feedback serve` with an address or a data folder that it cannot use.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;

use crate::http::status;
use crate::outcome::{imported, only_line};
use crate::place::Place;
use crate::process::{SERVE, output, restricted};

#[test]
fn an_unusable_address_is_reported_in_one_line_with_its_option() {
    const FREE: &str = "127.0.0.1:0";
    let listener = TcpListener::bind(FREE).unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    let place = Place::new();
    let serve = |listen: &str, dynamodb_listen: &str| {
        let addresses = format!("--listen {listen} --dynamodb-listen {dynamodb_listen}");
        only_line(&place.run(&format!("serve {addresses} --data data")))
    };
    for (line, option) in [
        (serve(&taken, FREE), "--listen"),
        (serve(FREE, &taken), "--dynamodb-listen"),
    ] {
        assert_eq!(
            line,
            format!(
                "feedback: cannot listen on {taken} ({option}): Address already in use; {option} 127.0.0.1:0 takes a free port\n"
            )
        );
    }
    let line = serve("nowhere", FREE);
    let beginning = "feedback: cannot listen on nowhere (--listen): ";
    assert!(line.starts_with(beginning), "{line}");
    assert!(!place.data().exists());
}

#[test]
fn an_unusable_data_folder_is_reported_in_one_line() {
    let place = Place::new();
    place.file("file", "");
    std::fs::create_dir(place.path("damaged")).unwrap();
    let content = "this is no database, but long enough to be read as one".repeat(100);
    place.file("damaged/tables.sqlite", &content);
    let _served = place.serve();
    for (folder, beginning) in [
        ("file", "cannot use the data folder file: "),
        ("damaged", "cannot open damaged/tables.sqlite: "),
        (
            "data",
            "the data folder data is in use by another feedback\n",
        ),
    ] {
        let line = only_line(&place.run(&format!("{SERVE} --data {folder}")));
        assert!(
            line.starts_with(&format!("feedback: {beginning}")),
            "{line}"
        );
    }
    assert_eq!(place.read("damaged/tables.sqlite"), content);
}

#[test]
fn messages_that_cannot_be_written_end_nothing() {
    const FULL: &str = "exec 2>/dev/full; exec";
    let place = Place::new();
    let data = place.data().display().to_string();
    let serve = format!("{SERVE} --data {data}");
    let mut served = restricted(FULL, &serve).spawn().unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(served.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on http://");
    let statuses = address.map(|api| [(); 3].map(|()| status(api, "/health", "Accept: */*")));
    served.kill().unwrap();
    served.wait().unwrap();
    assert_eq!(statuses, Some([200; 3]));

    place.file("record", r#"{"id":"r","created":"2020-01-01","rating":9}"#);
    let record = place.path("record").display().to_string();
    let import = |project| {
        let import = format!("import responses {record} --data {data} --project {project}");
        output(&mut restricted(FULL, &import))
    };
    let summary = "responses: 1 written, 0 unchanged, 0 rejected\n";
    assert_eq!(imported(&import("acme")), summary);
    let refused = import("no.project");
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
}
