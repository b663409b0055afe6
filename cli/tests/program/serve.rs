//! `feedback serve`: what it prints, how it ends, and what survives it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use crate::http::{DEMO_ACCOUNT, get, put_user, send};
use crate::process::{FREE_PORTS, Served, only_line, run};

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
fn proxies_of_the_environment_are_not_for_the_embedded_store() {
    let nowhere = "http://127.0.0.1:9";
    let names = [
        "HTTP_PROXY",
        "http_proxy",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "all_proxy",
    ];
    let served = Served::start_with_env(&[], &names.map(|name| (name, nowhere)));
    let answer = get(&served.api, "/api/users?project=demo&limit=1", DEMO_ACCOUNT);
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[test]
fn help_of_every_command_has_examples_and_the_version_is_the_packages() {
    let mut commands = vec![Vec::new()];
    while let Some(command) = commands.pop() {
        let help = run(&[&command[..], &["--help"]].concat());
        assert!(help.status.success(), "{command:?}");
        // It is read as long as the program of the tests runs.
        let help: &str = String::from_utf8(help.stdout).unwrap().leak();
        assert!(help.contains("Example"), "{command:?}: {help}");
        let listed = help.split("Commands:\n").nth(1).unwrap_or_default();
        let names = listed
            .lines()
            .map_while(|line| line.split_whitespace().next());
        for name in names.filter(|name| *name != "help") {
            commands.push([&command[..], &[name]].concat());
        }
    }
    let version = run(&["--version"]);
    assert_eq!(
        String::from_utf8(version.stdout).unwrap(),
        format!("feedback {}\n", env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(run(&["server"]).status.code(), Some(2));
}
