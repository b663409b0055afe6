//! The `feedback` program as a process: what it prints, how it ends, and what survives it.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

/// `feedback serve` on free ports, killed when the test ends.
struct Served {
    process: Child,
    /// Everything on standard error up to the moment that requests are accepted.
    greeting: String,
    api: String,
}

fn feedback(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_feedback"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

const FREE_PORTS: [&str; 5] = [
    "serve",
    "--listen",
    "127.0.0.1:0",
    "--dynamodb-listen",
    "127.0.0.1:0",
];

impl Served {
    fn start(arguments: &[&str]) -> Self {
        let mut process = feedback(&[&FREE_PORTS, arguments].concat())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap())
            .read_line(&mut line)
            .unwrap();
        let api = line
            .trim()
            .strip_prefix("listening on http://")
            .expect(&line)
            .to_owned();
        let mut greeting = String::new();
        let mut lines = BufReader::new(process.stderr.take().unwrap());
        while !greeting.ends_with("\n\n")
            || (greeting.contains("Demo ") && !greeting.contains("curl "))
        {
            assert!(lines.read_line(&mut greeting).unwrap() > 0, "{greeting}");
        }
        // Somebody has to read the rest, or the process would wait for it.
        std::thread::spawn(move || lines.read_to_end(&mut Vec::new()));
        Self {
            process,
            greeting,
            api,
        }
    }

    fn with_data(folder: &Path) -> Self {
        Self::start(&["--demo", "--data", folder.to_str().unwrap()])
    }

    fn dynamodb(&self) -> &str {
        let line = self
            .greeting
            .lines()
            .find(|line| line.starts_with("DynamoDB"))
            .unwrap();
        line.rsplit("http://").next().unwrap()
    }

    fn signal(&self, signal: &str) {
        let id = self.process.id().to_string();
        assert!(
            Command::new("sh")
                .args(["-c", "kill -$0 $1", signal, &id])
                .status()
                .unwrap()
                .success()
        );
    }

    /// Waits for the end, and says how long it took.
    fn end(&mut self) -> (ExitStatus, Duration) {
        let started = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return (status, started.elapsed());
            }
            assert!(
                started.elapsed() < Duration::from_secs(10),
                "it does not end"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Sends a request as it is written and reads to the end of the connection.
fn send(address: &str, request: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

fn get(address: &str, target: &str, header: &str) -> String {
    send(
        address,
        &format!(
            "GET {target} HTTP/1.1\r\nHost: {address}\r\n{header}\r\nConnection: close\r\n\r\n"
        ),
    )
    .unwrap()
}

const DEMO_ACCOUNT: &str = "Authorization: Basic ZGVtbzpkZW1vLXBhc3N3b3JkLTAwMDA=";

fn put_user(dynamodb: &str, user_id: &str) {
    let body = format!(
        r#"{{"TableName":"users","Item":{{"project":{{"S":"demo"}},"userId":{{"S":"{user_id}"}}}}}}"#
    );
    let answer = send(
        dynamodb,
        &format!(
            "POST / HTTP/1.1\r\nHost: {dynamodb}\r\nContent-Type: application/x-amz-json-1.0\r\nConnection: close\r\n\
             X-Amz-Target: DynamoDB_20120810.PutItem\r\nX-Amz-Date: 20260301T120000Z\r\nAuthorization: AWS4-HMAC-SHA256 \
             Credential=a/20260301/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        ),
    );
    let answer = answer.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

fn run(arguments: &[&str]) -> Output {
    feedback(arguments).output().unwrap()
}

/// Checks for exit code 1 and one line on standard error, and gives the line.
#[track_caller]
fn only_line(output: &Output) -> String {
    let line = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(1), "{line}");
    assert!(output.stdout.is_empty());
    assert_eq!(line.lines().count(), 1, "{line}");
    line
}

#[test]
fn the_greeting_names_both_addresses_and_commands_that_work_as_printed() {
    let mut served = Served::start(&[]);
    let api = format!("http://{}", served.api);
    assert!(served.greeting.contains(&api), "{}", served.greeting);
    assert!(
        served.greeting.contains("demo-read-key-0000")
            && served.greeting.contains("demo-password-0000")
    );
    let curls: Vec<_> = served
        .greeting
        .lines()
        .filter(|line| line.starts_with("curl "))
        .collect();
    let [statistics, users] = curls[..] else {
        panic!("{}", served.greeting)
    };
    let target = |line: &str| {
        line.split(&api)
            .nth(1)
            .unwrap()
            .trim_end_matches('\'')
            .to_owned()
    };
    let header = statistics.split('\'').nth(1).unwrap();
    let answer = get(&served.api, &target(statistics), header);
    assert!(
        answer
            .contains(r#""nps":-51.53846153846154,"frequency":[0,125,45,32,20,16,21,24,49,40,18]"#),
        "{answer}"
    );
    assert!(users.contains("-u demo:demo-password-0000 "), "{users}");
    let answer = get(&served.api, &target(users), DEMO_ACCOUNT);
    assert_eq!(answer.matches(r#""userId":"#).count(), 2, "{answer}");
    served.signal("TERM");
    served.end();
    let mut rest = String::new();
    served
        .process
        .stdout
        .as_mut()
        .unwrap()
        .read_to_string(&mut rest)
        .unwrap();
    assert_eq!(rest, "", "standard output holds the one line");
}

#[test]
fn signals_end_it_within_a_second_whatever_clients_do() {
    for signal in ["INT", "TERM"] {
        let mut served = Served::start(&[]);
        let idle = TcpStream::connect(&served.api).unwrap();
        let mut half_sent: Vec<_> = [served.api.as_str(), served.dynamodb()]
            .into_iter()
            .map(|address| TcpStream::connect(address).unwrap())
            .collect();
        for stream in &mut half_sent {
            stream
                .write_all(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
                .unwrap();
        }
        assert!(get(&served.api, "/health", "Accept: */*").starts_with("HTTP/1.1 200 "));
        served.signal(signal);
        let (status, took) = served.end();
        assert_eq!(status.code(), Some(0), "{signal}");
        assert!(took < Duration::from_secs(1), "{signal}: {took:?}");
        drop((idle, half_sent));
    }
}

#[test]
fn requests_under_way_are_finished() {
    let mut served = Served::start(&[]);
    let api = served.api.clone();
    let clients: Vec<_> = (0..4)
        .map(|_| {
            let api = api.clone();
            std::thread::spawn(move || {
                let mut whole = 0;
                loop {
                    let request = format!(
                        "GET /api/users?project=demo HTTP/1.1\r\nHost: x\r\n{DEMO_ACCOUNT}\r\nConnection: close\r\n\r\n"
                    );
                    match send(&api, &request) {
                        Ok(answer) if !answer.is_empty() => {
                            assert!(
                                answer.ends_with("]}\r\n0\r\n\r\n"),
                                "a cut answer: …{:?}",
                                &answer[answer.len() - 60..]
                            );
                            whole += 1;
                        }
                        // Refused or never accepted: no request was under way.
                        _ => return whole,
                    }
                }
            })
        })
        .collect();
    std::thread::sleep(Duration::from_millis(400));
    served.signal("TERM");
    assert!(served.end().0.success());
    let answers: usize = clients
        .into_iter()
        .map(|client| client.join().unwrap())
        .sum();
    assert!(answers > 0, "there were requests under way");
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mut served = Served::with_data(folder.path());
    for user_id in ["a-one", "a-two", "a-three"] {
        put_user(served.dynamodb(), user_id);
    }
    served.process.kill().unwrap();
    served.process.wait().unwrap();
    let served = Served::with_data(folder.path());
    for user_id in ["a-one", "a-two", "a-three"] {
        let answer = get(
            &served.api,
            &format!("/api/users?project=demo&userId={user_id}"),
            DEMO_ACCOUNT,
        );
        assert!(
            answer.contains(&format!(r#""userId":"{user_id}""#)),
            "{answer}"
        );
    }
}

#[test]
fn a_folder_without_the_demo_project_names_no_credentials() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(&["--data", folder.path().to_str().unwrap()]);
    assert!(!served.greeting.contains("demo"), "{}", served.greeting);
}

#[test]
fn a_taken_port_is_one_clear_line() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let line = only_line(&run(&[
        "serve",
        "--dynamodb-listen",
        "127.0.0.1:0",
        "--listen",
        &address,
    ]));
    assert!(
        line.starts_with(&format!(
            "feedback: cannot listen on {address} (--listen): "
        )),
        "{line}"
    );
    let line = only_line(&run(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--dynamodb-listen",
        &address,
    ]));
    assert!(
        line.starts_with(&format!(
            "feedback: cannot listen on {address} (--dynamodb-listen): "
        )),
        "{line}"
    );
    let line = only_line(&run(&["serve", "--listen", "nowhere"]));
    assert!(
        line.starts_with("feedback: cannot listen on nowhere (--listen): "),
        "{line}"
    );
}

#[test]
fn a_data_folder_that_cannot_be_used_is_one_clear_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let line = only_line(&run(&[
        &FREE_PORTS,
        ["--data", file.to_str().unwrap()].as_slice(),
    ]
    .concat()));
    assert!(
        line.starts_with(&format!(
            "feedback: cannot use the data folder {}: ",
            file.display()
        )),
        "{line}"
    );

    let damaged = folder.path().join("damaged");
    std::fs::create_dir(&damaged).unwrap();
    std::fs::write(
        damaged.join("tables.sqlite"),
        "this is no database, but long enough to be taken for one".repeat(100),
    )
    .unwrap();
    let line = only_line(&run(&[
        &FREE_PORTS,
        ["--data", damaged.to_str().unwrap()].as_slice(),
    ]
    .concat()));
    assert!(line.contains("tables.sqlite"), "{line}");

    let used = folder.path().join("used");
    let _served = Served::with_data(&used);
    let line = only_line(&run(&[
        &FREE_PORTS,
        ["--data", used.to_str().unwrap()].as_slice(),
    ]
    .concat()));
    assert!(line.ends_with("is in use by another feedback\n"), "{line}");
}

#[test]
fn help_has_examples_and_the_version_is_the_packages() {
    for arguments in [&["--help"][..], &["serve", "--help"]] {
        let help = run(arguments);
        assert!(help.status.success());
        let help = String::from_utf8(help.stdout).unwrap();
        assert!(help.contains("Examples:\n  feedback serve "), "{help}");
    }
    let version = run(&["--version"]);
    assert_eq!(
        String::from_utf8(version.stdout).unwrap(),
        format!("feedback {}\n", env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(run(&["server"]).status.code(), Some(2));
}
