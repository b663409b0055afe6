//! `feedback serve --url`: forwards what its page requests, and nothing else, to one API.

use std::io::{BufRead as _, BufReader};
use std::process::Command;
use std::sync::mpsc::Receiver;

use serde_json::Value;
use test_support::rows;

use crate::http::{ClosedPort, get, send};
use crate::process::{Served, feedback, output_of, send_signal};
use crate::terminal::{service, with_body};

const KEY: &str = "planted-read-key-0123456789";
const STATISTICS: &str = "/api/v2/response-statistics?project=acme&startDate=2026-01-01";

/// Starts an API that sends every request the same response; returns its URL, and the heads of the requests.
fn upstream() -> (String, Receiver<String>) {
    let head = "422 Unprocessable\r\nContent-Type: text/html\r\nDate: Sat, 21 Nov 2026 15:53:00 GMT\r\n\
                X-Request-Id: the-id-of-the-service\r\nX-Skipped-Records: 4\r\nSet-Cookie: a=b\r\n\
                Content-Security-Policy: default-src *";
    let (address, heads) = service(move |_| with_body(head, "<html>"));
    (format!("http://{address}"), heads)
}

fn page_for(url: &str, key: Option<&str>) -> Served {
    Served::ready(serve(url, key).spawn().unwrap())
}

fn serve(url: &str, key: Option<&str>) -> Command {
    let mut command = feedback(&format!(
        "serve --url {url} --project acme --listen 127.0.0.1:0"
    ));
    command.envs(key.map(|key| ("FEEDBACK_READ_KEY", key)));
    command
}

/// Serves the page on a terminal, and ends; returns what the terminal shows.
fn shown(url: &str, key: Option<&str>) -> String {
    let (ours, theirs) = crate::pty::open(80);
    let mut process = serve(url, key).stderr(theirs).spawn().unwrap();
    let mut stdout = BufReader::new(process.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    send_signal(process.id(), "TERM");
    let shown = crate::pty::read_while(ours, || true);
    assert!(output_of(process).status.success());
    shown
}

#[test]
fn a_question_is_forwarded_as_it_stands_with_the_key_of_the_page_alone() {
    let (url, heads) = upstream();
    let served = page_for(&format!("{url}/prod/"), Some("of-the-environment"));
    let target = format!("{STATISTICS}&filters%5Buser.traits.string.a%20b%5D%5Bvalue%5D=%2B+%26");
    let response = get(&served.api, &target, &format!("AuthKey: {KEY}"));
    let [head] = &heads.try_iter().collect::<Vec<_>>()[..] else {
        panic!("one request")
    };
    assert!(head.starts_with(&format!("GET /prod{target} HTTP/1.1\n")));
    let keys = head
        .lines()
        .filter_map(|line| line.strip_prefix("authkey: "));
    assert_eq!(keys.collect::<Vec<_>>(), [KEY]);
    assert!(response.starts_with("HTTP/1.1 422 "), "{response}");
    assert!(response.ends_with("<html>"), "{response}");
    let head = response.split("\r\n\r\n").next().unwrap();
    let lines: Vec<_> = head.lines().skip(1).collect();
    for line in [
        "content-type: application/json",
        "cache-control: no-store",
        "x-content-type-options: nosniff",
        "date: Sat, 21 Nov 2026 15:53:00 GMT",
        "x-request-id: the-id-of-the-service",
        "x-skipped-records: 4",
    ] {
        assert!(lines.contains(&line), "{line}: {head}");
    }
    assert_eq!(lines.len(), 9, "and those of the connection: {head}");
    let logged = served.log(1);
    let id = r#""request_id":"the-id-of-the-service""#;
    assert!(logged.contains(id), "{logged}");
}

#[test]
fn a_table_is_forwarded_as_one() {
    let media_type = "text/csv; charset=utf-8; header=present";
    let head = format!("200 OK\r\nContent-Type: {media_type}");
    let (address, _) = service(move |_| with_body(&head, "a,b\r\n"));
    let served = page_for(&format!("http://{address}"), None);
    let response = get(&served.api, STATISTICS, &format!("AuthKey: {KEY}"));
    let line = format!("\r\ncontent-type: {media_type}\r\n");
    assert!(response.contains(&line), "{response}");
    assert!(response.ends_with("\r\n\r\na,b\r\n"), "{response}");
}

#[test]
fn the_key_of_the_environment_is_in_the_address_of_the_page_alone_and_no_request_gets_it() {
    let (url, heads) = upstream();
    let key = Some("key with ?&#");
    let mut served = page_for(&url, key);
    // Standard error is a log here.
    let open = format!("Open http://{}/?project=acme\n", served.api);
    assert!(served.greeting.starts_with(&open), "{}", served.greeting);
    let settings = get(&served.api, "/dashboard/settings.json", "Accept: */*");
    assert!(settings.contains(r#""project":"acme""#), "{settings}");
    get(&served.api, STATISTICS, "Cookie: a=b");
    served.signal("TERM");
    served.wait();
    let [head] = &heads.try_iter().collect::<Vec<_>>()[..] else {
        panic!("one request")
    };
    for name in ["authkey", "cookie"] {
        assert!(!head.contains(&format!("\n{name}: ")), "{head}");
    }
    for text in [&settings, &served.log(0)] {
        assert!(!text.contains("key with"), "{text}");
    }
    let open = shown(&url, key);
    let fragment = "/?project=acme#key=key+with+%3F%26%23\n";
    assert!(open.contains(fragment), "{open}");
    assert!(!shown(&url, None).contains("#key"));
}

#[test]
fn nothing_but_the_page_the_statistics_and_health_is_served() {
    let (url, heads) = upstream();
    let served = page_for(&url, None);
    for [request_line, expected] in rows(
        "
        GET /api/users?project=acme | 404
        GET /api/v2/response-statistics/x | 404
        GET /openapi.yaml | 404
        GET /health | 200
        POST /api/v2/response-statistics?project=acme | 405
        HEAD /api/v2/response-statistics?project=acme | 405
        HEAD / | 200
        ",
    ) {
        let head = format!("{request_line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let response = send(&served.api, &head).unwrap();
        let status = &response["HTTP/1.1 ".len()..][..3];
        assert_eq!(status, expected, "{request_line}");
    }
    assert!(heads.try_recv().is_err());
    let first = &served.log(1);
    assert!(first.contains(r#""operation":"other""#), "{first}");
}

#[test]
fn a_redirect_is_not_followed() {
    let (target, heads) = upstream();
    let redirect = format!("302 Found\r\nLocation: {target}");
    let (address, _heads) = service(move |_| with_body(&redirect, ""));
    let served = page_for(&format!("http://{address}"), Some(KEY));
    let error = bad_gateway(&get(&served.api, STATISTICS, "Accept: */*"));
    assert!(error.contains("redirects"), "{error}");
    assert!(heads.try_recv().is_err());
}

#[test]
fn an_api_that_cannot_be_reached_or_sends_too_much_is_an_error_document() {
    let closed = ClosedPort::reserve();
    let served = page_for(&format!("http://{}", closed.address()), Some(KEY));
    let error = bad_gateway(&get(&served.api, STATISTICS, "Accept: */*"));
    let expected = format!(
        "cannot reach http://{}/: Connection refused",
        closed.address()
    );
    assert!(error.starts_with(&expected), "{error}");
    let (address, _heads) = service(|_| with_body("200 OK", &"x".repeat(9 << 20)));
    let served = page_for(&format!("http://{address}"), Some(KEY));
    let error = bad_gateway(&get(&served.api, STATISTICS, "Accept: */*"));
    assert!(error.contains("too large"), "{error}");
}

/// Checks for a 502; returns the detail of its error document.
#[track_caller]
fn bad_gateway(response: &str) -> String {
    assert!(response.starts_with("HTTP/1.1 502 "), "{response}");
    let (_, body) = response.split_once("\r\n\r\n").unwrap();
    let document: Value = serde_json::from_str(body).unwrap();
    assert_eq!(document["errors"][0]["code"], "bad_gateway");
    document["errors"][0]["detail"].as_str().unwrap().to_owned()
}
