//! The commands that show in a terminal what others wrote.

use std::io::{BufRead, BufReader, Write as _};
use std::net::TcpListener;
use std::process::Output;
use std::sync::mpsc;

use serde_json::json;

use crate::http::put_item;
use crate::operator::Operator;
use crate::process::{Served, failed, feedback, succeeded};

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

fn users(address: &str, option: &str) -> Output {
    let url = format!("http://{address}");
    let mut arguments = vec!["users", "--project", "acme", "--url", &url];
    arguments.extend(Some(option).filter(|option| !option.is_empty()));
    let account = [
        ("FEEDBACK_USERNAME", "reports"),
        ("FEEDBACK_PASSWORD", "secret-password-0000"),
    ];
    feedback(&arguments).envs(account).output().unwrap()
}

#[test]
fn credentials_are_never_sent_to_another_address() {
    let (elsewhere, reached) = service(|_| with_body("200 OK", r#"{"users":[]}"#));
    for link in [
        format!("http://{elsewhere}/api/users?cursor=a"),
        format!("//{elsewhere}/api/users?cursor=a"),
        "/other?cursor=a".to_owned(),
        "?cursor=a".to_owned(),
        "http://[".to_owned(),
    ] {
        let head = format!("200 OK\r\nLink: <{link}>; rel=\"next\"");
        let (address, requests) = service(move |_| with_body(&head, r#"{"users":[]}"#));
        let said = failed(&users(&address, ""), 1);
        assert!(said.contains("unexpected response"), "{link}: {said}");
        assert_eq!(requests.try_iter().count(), 1, "{link}");
    }
    assert_eq!(reached.try_iter().count(), 0);
}

const HARMFUL: &str = "a\u{1b}[2J\n\t\u{9b}1m\u{202E}z";

/// Whether the text has nothing that controls a terminal but the given separators.
fn is_harmless(text: &str, separators: &[char]) -> bool {
    !text.contains(|c: char| {
        (c.is_control() && !separators.contains(&c)) || ('\u{202A}'..='\u{202E}').contains(&c)
    })
}

#[test]
fn labels_and_usernames_cannot_control_the_terminal() {
    let operator = Operator::new();
    let address = operator.dynamodb();
    let item = json!({
        "digest": {"S": "f".repeat(64)}, "kind": {"S": "account"}, "username": {"S": HARMFUL},
        "projects": {"SS": ["zoo"]}, "label": {"S": HARMFUL},
    });
    put_item(
        address.trim_start_matches("http://"),
        "credentials",
        &item.to_string(),
    );
    let listed = succeeded(&operator.run("credentials list --project zoo"));
    assert_eq!(listed.lines().count(), 1, "{listed:?}");
    assert_eq!(listed.matches('\t').count(), 4, "{listed:?}");
    assert!(is_harmless(&listed, &['\n', '\t']), "{listed:?}");
    let output = operator.run("erase --project zoo --all --credentials --yes");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("revoked: ") && is_harmless(&said, &['\n', '\t']),
        "{said:?}"
    );
}

#[test]
fn what_a_service_reports_cannot_control_the_terminal() {
    let error = json!({"errors": [{"code": HARMFUL, "detail": HARMFUL}]}).to_string();
    let user =
        json!({"users": [{"userId": HARMFUL, "name": HARMFUL, "unsubscribed": false}]}).to_string();
    for (head, body, code) in [("400 Bad Request", error, 1), ("200 OK", user, 0)] {
        let (address, _requests) = service(move |_| with_body(head, &body));
        let output = users(&address, "");
        assert_eq!(output.status.code(), Some(code));
        for text in [output.stdout, output.stderr] {
            let text = String::from_utf8(text).unwrap();
            assert!(is_harmless(&text, &['\n']), "{text:?}");
            assert!(code == 0 || text.lines().count() <= 1, "{text:?}");
        }
    }
}

#[test]
fn columns_and_keys_cannot_control_the_terminal() {
    let operator = Operator::new();
    operator.file(
        "table.csv",
        "created,rating,a\u{1b}[2J\u{9b}1m\u{202E}\n2020-01-01,9,x\n",
    );
    let output = operator.run("import responses table.csv --project acme");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("not imported") && is_harmless(&said, &['\n']),
        "{said:?}"
    );
    let address = operator.dynamodb();
    let item = json!({"shard": {"S": "acme#0"}, "at": {"S": HARMFUL}});
    put_item(
        address.trim_start_matches("http://"),
        "responses",
        &item.to_string(),
    );
    let said = failed(&operator.run("export responses --project acme"), 2);
    assert!(
        said.contains("left out") && is_harmless(&said, &['\n']),
        "{said:?}"
    );
}

#[test]
fn the_greeting_has_a_command_that_draws_the_demo() {
    let served = Served::start(&[]);
    let line = served
        .greeting
        .lines()
        .find(|line| line.contains("feedback stats "));
    let (variable, arguments) = line.unwrap().split_once(" feedback ").unwrap();
    let (name, value) = variable.split_once('=').unwrap();
    let arguments: Vec<_> = arguments.split(' ').collect();
    let drawn = succeeded(&feedback(&arguments).env(name, value).output().unwrap());
    for plan in ["free", "growth", "enterprise"] {
        assert!(drawn.contains(plan), "{drawn}");
    }
}
