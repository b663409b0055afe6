//! The commands that show in a terminal what others wrote.

use std::io::{BufRead, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::mpsc;

use serde_json::json;

use crate::http::put_item;
use crate::operator::Operator;
use crate::outcome::{error_line, stderr, succeeded};
use crate::process::{feedback, output};

/// A service that answers every request with this response, and the heads of the requests.
pub(crate) fn service(
    response: impl Fn(&str) -> String + Send + 'static,
) -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (send, received) = mpsc::channel();
    let response = response(&address);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let head: Vec<_> = lines
                .map(Result::unwrap)
                .take_while(|line| !line.is_empty())
                .collect();
            // Not every test looks at them.
            let _ = send.send(head.join("\n"));
            stream.write_all(response.as_bytes()).unwrap();
        }
    });
    (address, received)
}

pub(crate) fn with_body(head: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}

const HARMFUL: &str = "a\u{1b}[2J\n\t\u{9b}1m\u{202E}z";

/// Whether the text has nothing that controls a terminal but the given separators.
fn is_harmless(text: &str, separators: &[char]) -> bool {
    !text.contains(|c: char| {
        (c.is_control() && !separators.contains(&c)) || ('\u{202A}'..='\u{202E}').contains(&c)
    })
}

#[test]
fn labels_usernames_columns_and_keys_cannot_control_the_terminal() {
    let operator = Operator::new();
    let dynamodb = operator.served().dynamodb();
    let item = json!({
        "digest": {"S": "f".repeat(64)}, "may": {"SS": ["users"]}, "username": {"S": "a\u{202E}z"},
        "projects": {"SS": ["zoo"]}, "label": {"S": HARMFUL},
    });
    put_item(dynamodb, "credentials", &item.to_string());
    let listed = succeeded(&operator.run("credentials list --project zoo"));
    assert_eq!(listed.lines().count(), 1, "{listed:?}");
    assert_eq!(listed.matches('\t').count(), 5, "{listed:?}");
    assert!(is_harmless(&listed, &['\n', '\t']), "{listed:?}");
    let item = json!({"shard": {"S": "acme#0"}, "at": {"S": HARMFUL}});
    put_item(dynamodb, "responses", &item.to_string());
    let table = "created,rating,a\u{1b}[2J\u{9b}1m\u{202E}\n2020-01-01,9,x\n";
    operator.file("table.csv", table);
    for (command, told) in [
        ("import responses table.csv --project acme", "not imported"),
        ("export responses --project acme", "left out"),
    ] {
        let said = stderr(&operator.run(command));
        assert!(said.contains(told), "{command}: {said}");
        assert!(is_harmless(&said, &['\n', '\t']), "{command}: {said:?}");
    }
}

#[test]
fn what_a_service_reports_cannot_control_the_terminal() {
    let error = json!({"errors": [{"code": HARMFUL, "detail": HARMFUL}]}).to_string();
    let (address, _requests) = service(move |_| with_body("400 Bad Request", &error));
    let mut stats = feedback(&format!("stats --project acme --url http://{address}"));
    let said = error_line(&output(stats.env("FEEDBACK_READ_KEY", "any-read-key-0000")));
    assert!(is_harmless(&said, &['\n']), "{said:?}");
}
