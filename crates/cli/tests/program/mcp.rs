//! `feedback mcp` as a process: what it reads and writes, and when it ends. tests/mcp has what assistants
//! get.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

use serde_json::{Value, json};
use test_support::rows;

use crate::outcome::{error_line, stderr, succeeded};
use crate::process::{feedback, output_of, run_with_input};
use crate::terminal::{service, with_body};

const KEY: &str = "planted-read-key-0123456789";

/// A session of an assistant.
pub(crate) struct Session {
    process: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Session {
    /// Starts a command, and begins the session.
    pub(crate) fn start(command: &mut Command) -> Self {
        Self::start_with(command, &initialize())
    }

    /// Starts a command, and begins the session by this message, whose answer has a result.
    fn start_with(command: &mut Command, initialize: &Value) -> Self {
        let mut process = command.stdin(Stdio::piped()).spawn().unwrap();
        let stdin = process.stdin.take().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut session = Self {
            process,
            stdin,
            lines,
        };
        session.send(initialize);
        let answer = session.next();
        assert!(answer["result"].is_object(), "{answer}");
        session
    }

    pub(crate) fn send(&mut self, message: &Value) {
        writeln!(self.stdin, "{message}").unwrap();
    }

    /// Reads the next message.
    pub(crate) fn next(&mut self) -> Value {
        serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap()
    }

    /// Calls a tool; returns its result.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.send(&call(2, tool, arguments));
        self.next()["result"].take()
    }

    /// Ends the session, with which the command succeeds, and has printed nothing else.
    pub(crate) fn end(self) {
        drop((self.stdin, self.lines));
        let output = output_of(self.process);
        succeeded(&output);
        assert_eq!(stderr(&output), "");
    }
}

/// Makes the command with this key.
fn mcp(url: &str) -> Command {
    let mut command = feedback(&format!("mcp --project demo --url {url}"));
    command.env("FEEDBACK_READ_KEY", KEY);
    command
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}})
}

/// Makes the call of a tool.
pub(crate) fn call(id: u8, tool: &str, arguments: &Value) -> Value {
    let call = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call})
}

/// Runs the command with these messages as its input.
fn run_with(messages: &[String]) -> Output {
    run_with_input(&mut mcp("http://127.0.0.1:1"), messages.join("\n"))
}

#[test]
fn standard_output_has_messages_of_the_protocol_alone_until_the_input_ends() {
    let nothing = run_with_input(&mut mcp("http://127.0.0.1:1"), "");
    assert_eq!(succeeded(&nothing), "");
    let output = run_with(&[
        initialize().to_string(),
        "no message\n{\"jsonrpc\":\"2.0\",\"id\":7}\n".to_owned(),
        json!({"jsonrpc": "2.0", "id": 8, "method": "resources/list"}).to_string(),
        call(2, "statistics", &json!({})).to_string(),
    ]);
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
    let mut session = Session::start(&mut mcp(&format!("http://{address}")));
    let result = session.call("statistics", &json!({}));
    let words = result["content"][0]["text"].as_str().unwrap();
    assert!(words.starts_with("the service refused the request: invalid_parameter: xxx"));
    assert_eq!(words.chars().count(), 500);
    session.end();
}

#[test]
fn numbers_and_lists_may_be_strings_and_a_refusal_names_the_argument() {
    let (address, heads) = service(|_| with_body("400 Bad Request", "{}"));
    let mut session = Session::start(&mut mcp(&format!("http://{address}")));
    let lists = [
        json!("plan=eq:a"),
        json!("[\"plan=eq:a\"]"),
        json!(["plan=eq:a"]),
    ];
    for filters in lists {
        let arguments =
            json!({"period": 2026, "groupBy": "plan", "groupLimit": "7", "filters": filters});
        session.call("statistics", &arguments);
        let head = heads.recv().unwrap();
        let (target, _) = head.split_once(" HTTP").unwrap();
        let (_, query) = target.split_once('?').unwrap();
        let parameters: Vec<_> = query.split('&').collect();
        for parameter in ["period=2026", "groupLimit=7", "filter=plan%3Deq%3Aa"] {
            assert!(parameters.contains(&parameter), "{head}");
        }
    }
    for [arguments, expected] in rows(
        r#"
        {"groupLimit": "many"} | `groupLimit` must be a whole number
        {"groupLimit": 1.5} | `groupLimit` must be a whole number
        {"filters": {"plan": "a"}} | `filters` must be a list of strings
        {"filters": "[1]"} | `filters` must be a list of strings
        {"groupBy": ["plan"]} | `groupBy` must be a string
        "#,
    ) {
        let arguments = serde_json::from_str(arguments).unwrap();
        let result = session.call("statistics", &arguments);
        assert_eq!(result["content"][0]["text"], expected);
    }
    session.end();
}

#[test]
fn a_first_message_that_begins_no_session_is_an_error_that_does_not_repeat_it() {
    let noise = json!({"jsonrpc": "2.0", "method": "notifications/planted"});
    let error = error_line(&run_with(&[noise.to_string()]));
    assert!(error.contains("begins no session"), "{error}");
    assert!(!error.contains("planted"), "{error}");
}

#[test]
fn each_line_gets_an_answer_with_its_id_if_it_has_one_whatever_it_is() {
    let mut session = Session::start(&mut mcp("http://127.0.0.1:1"));
    let mut expect = |line: &str, expected: &str| {
        writeln!(session.stdin, "{line}").unwrap();
        let answer = session.next();
        let found = json!([answer["id"], answer["error"]["code"]]);
        assert_eq!(found.to_string(), expected, "{line:.80}");
    };
    for [line, expected] in rows(
        r#"
        no JSON | [null,-32700]
        {"jsonrpc":"2.0","id":5, | [null,-32700]
        7 | [null,-32600]
        {"jsonrpc":"2.0","id":7} | [7,-32600]
        {"jsonrpc":"1.0","id":"a","method":"ping"} | ["a",-32600]
        {"jsonrpc":"2.0","id":1.5,"method":"ping"} | [null,-32600]
        {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":7}} | [8,-32602]
        {"jsonrpc":"2.0","id":9,"method":"tools/call"} | [9,-32602]
        {"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"none"}} | ["b",-32602]
        {"jsonrpc":"2.0","id":10,"method":"planted"} | [10,-32601]
        "#,
    ) {
        expect(line, expected);
    }
    let long = json!({"jsonrpc": "2.0", "id": 1, "method": "x".repeat(16 << 20)});
    expect(&long.to_string(), "[null,-32700]");
    expect(r#"{"jsonrpc":"2.0","id":11,"method":"ping"}"#, "[11,null]");
    session.end();
}

#[test]
fn notifications_get_no_answer_whatever_their_parameters_are() {
    let mut session = Session::start(&mut mcp("http://127.0.0.1:1"));
    for params in [json!([]), json!(7), json!({"requestId": {}})] {
        for method in ["initialized", "cancelled", "planted"] {
            let method = format!("notifications/{method}");
            session.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
        }
    }
    session.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}));
    assert_eq!(session.next()["id"], 2);
    session.end();
}

#[test]
fn empty_lists_and_texts_are_the_empty_objects_that_clients_mean() {
    let (address, heads) = service(|_| with_body("400 Bad Request", "{}"));
    let mut begin = initialize();
    begin["params"]["capabilities"] = json!([]);
    let mut session = Session::start_with(&mut mcp(&format!("http://{address}")), &begin);
    session.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "ping", "params": []}));
    assert!(session.next()["result"].is_object());
    session.send(&json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": []}));
    assert!(session.next()["result"]["tools"].is_array());
    for arguments in [json!([]), json!("{}"), json!(null)] {
        let result = session.call("traits", &arguments);
        assert_eq!(result["isError"], true, "{result}");
        let head = heads.recv().unwrap();
        let beginning = "GET /api/v2/response-statistics?project=demo";
        assert!(head.starts_with(beginning), "{head}");
        heads.recv().unwrap();
    }
    session.call("statistics", &json!(r#"{"period": "2026"}"#));
    assert!(heads.recv().unwrap().contains("&period=2026&"));
    session.end();
}

#[test]
fn a_closed_standard_output_is_an_error_in_words() {
    let mut command = mcp("http://127.0.0.1:1");
    let mut process = command.stdin(Stdio::piped()).spawn().unwrap();
    drop(process.stdout.take());
    let mut stdin = process.stdin.take().unwrap();
    writeln!(stdin, "{}", initialize()).unwrap();
    let error = error_line(&output_of(process));
    let beginning = "feedback: cannot write to standard output: ";
    assert!(error.starts_with(beginning), "{error}");
    assert!(!error.contains("::"), "{error}");
}
