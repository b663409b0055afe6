//! `feedback mcp` as a process: what it reads and writes, and when it ends. tests/mcp has what assistants
//! get.

use std::io::Write as _;
use std::net::TcpListener;
use std::process::{Child, ChildStdin, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::outcome::{error_line, failed, stderr, succeeded};
use crate::process::{feedback, output_of, run};
use crate::terminal::{service, with_body};

const KEY: &str = "planted-read-key-0123456789";

/// Starts the command with this key.
fn start(url: &str) -> (Child, ChildStdin) {
    let mut command = feedback(&format!("mcp --project demo --url {url}"));
    command.env("FEEDBACK_READ_KEY", KEY).stdin(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let stdin = process.stdin.take().unwrap();
    (process, stdin)
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}})
}

fn call() -> Value {
    json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "statistics", "arguments": {}}})
}

fn send(stdin: &mut ChildStdin, messages: &[Value]) {
    for message in messages {
        writeln!(stdin, "{message}").unwrap();
    }
}

#[test]
fn without_a_key_it_says_what_to_set() {
    let output = run("mcp");
    let error = failed(&output, 1);
    let reason = "set FEEDBACK_READ_KEY to the project's Read Key";
    assert!(error.contains(reason), "{error}");
    assert!(output.stdout.is_empty(), "{output:?}");
}

#[test]
fn standard_output_has_messages_of_the_protocol_alone_until_the_input_ends() {
    let (process, stdin) = start("http://127.0.0.1:1");
    drop(stdin);
    assert_eq!(succeeded(&output_of(process)), "");
    let (process, mut stdin) = start("http://127.0.0.1:1");
    send(&mut stdin, &[initialize()]);
    writeln!(stdin, "no message\n{{\"jsonrpc\":\"2.0\",\"id\":7}}\n").unwrap();
    let unknown = json!({"jsonrpc": "2.0", "id": 8, "method": "resources/list"});
    send(&mut stdin, &[unknown, call()]);
    drop(stdin);
    let output = output_of(process);
    let printed = succeeded(&output);
    let messages = printed.lines().map(serde_json::from_str::<Value>);
    let messages: Vec<_> = messages.map(Result::unwrap).collect();
    assert!(messages.iter().all(|message| message["jsonrpc"] == "2.0"));
    let answer = |id| messages.iter().find(|message| message["id"] == id).unwrap();
    assert!(answer(1)["result"]["serverInfo"].is_object(), "{printed}");
    assert_eq!(answer(2)["result"]["isError"], true, "{printed}");
    let all = format!("{printed}{}", stderr(&output));
    assert!(!all.contains(KEY), "{all}");
}

#[test]
fn the_words_of_an_error_are_cut() {
    let detail = "x".repeat(5000);
    let error = json!({"errors": [{"code": "invalid_parameter", "detail": detail}]}).to_string();
    let (address, _) = service(move |_| with_body("400 Bad Request", &error));
    let (process, mut stdin) = start(&format!("http://{address}"));
    send(&mut stdin, &[initialize(), call()]);
    drop(stdin);
    let printed = succeeded(&output_of(process));
    let answer: Value = serde_json::from_str(printed.lines().last().unwrap()).unwrap();
    let words = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(words.starts_with("the service refused the request: invalid_parameter: xxx"));
    assert_eq!(words.chars().count(), 500);
}

#[test]
fn a_first_message_that_begins_no_session_is_an_error_that_does_not_repeat_it() {
    let (process, mut stdin) = start("http://127.0.0.1:1");
    let noise = json!({"jsonrpc": "2.0", "method": "notifications/planted"});
    send(&mut stdin, &[noise]);
    let error = error_line(&output_of(process));
    assert!(error.contains("begins no session"), "{error}");
    assert!(!error.contains("planted"), "{error}");
}

#[test]
fn a_closed_standard_output_is_an_error_in_words() {
    let (mut process, mut stdin) = start("http://127.0.0.1:1");
    drop(process.stdout.take());
    send(&mut stdin, &[initialize()]);
    let error = error_line(&output_of(process));
    let beginning = "feedback: cannot write to standard output: ";
    assert!(error.starts_with(beginning), "{error}");
    assert!(!error.contains("::"), "{error}");
}

#[test]
#[ignore = "takes as long as a real limit: just limits"]
fn a_call_to_a_service_that_never_answers_ends_after_35_seconds() {
    // Accepts connections, and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let (mut process, mut stdin) = start(&format!("http://{}", silent.local_addr().unwrap()));
    let mut lines =
        std::io::BufRead::lines(std::io::BufReader::new(process.stdout.take().unwrap()));
    send(&mut stdin, &[initialize(), call()]);
    lines.next().unwrap().unwrap();
    let started = Instant::now();
    let answer = lines.next().unwrap().unwrap();
    assert!(started.elapsed() < Duration::from_secs(38), "{answer}");
    assert!(started.elapsed() > Duration::from_secs(33), "{answer}");
    let reason = "did not answer within 35 seconds";
    assert!(answer.contains(reason), "{answer}");
    drop(stdin);
    succeeded(&output_of(process));
}
