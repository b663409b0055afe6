//! `feedback dashboard`: forwards what its page requests, and nothing else, to one API.

use std::sync::mpsc::Receiver;

use serde_json::Value;

use crate::http::{ClosedPort, get, send};
use crate::outcome::error_line;
use crate::process::{Served, feedback, output, rows, run};
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

fn dashboard(url: &str, key: Option<&str>) -> Served {
    let mut command = feedback(&format!("dashboard --url {url} --listen 127.0.0.1:0"));
    command.envs(key.map(|key| ("FEEDBACK_READ_KEY", key)));
    Served::ready(command.spawn().unwrap())
}

#[test]
fn a_question_is_forwarded_as_it_stands_with_the_key_of_the_environment_alone() {
    let (url, heads) = upstream();
    let served = dashboard(&format!("{url}/prod/"), Some(KEY));
    let target = format!("{STATISTICS}&filters%5Buser.traits.string.a%20b%5D%5Bvalue%5D=%2B+%26");
    let response = get(&served.api, &target, "AuthKey: typed-into-the-page-0");
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
    assert_eq!(lines.len(), 8, "and those of the connection: {head}");
}

#[test]
fn the_key_of_the_environment_never_reaches_the_page_or_a_terminal_and_without_it_the_typed_one_counts()
 {
    let (url, heads) = upstream();
    let mut served = dashboard(&url, Some(KEY));
    let settings = get(&served.api, "/dashboard/settings.json", "Accept: */*");
    assert!(settings.contains(r#""holdsKey":true"#), "{settings}");
    let answer = get(&served.api, STATISTICS, "Accept: */*");
    served.signal("TERM");
    served.wait();
    for text in [&settings, &answer, &served.greeting, &served.log(0)] {
        assert!(!text.contains(KEY), "{text}");
    }
    let served = dashboard(&url, None);
    let settings = get(&served.api, "/dashboard/settings.json", "Accept: */*");
    assert!(settings.contains(r#""holdsKey":false"#), "{settings}");
    get(&served.api, STATISTICS, &format!("AuthKey: {KEY}"));
    get(&served.api, STATISTICS, "Cookie: a=b");
    let heads: Vec<_> = heads.try_iter().collect();
    assert!(heads[1].contains(&format!("\nauthkey: {KEY}")));
    assert!(!heads[2].contains("\nauthkey: ") && !heads[2].contains("\ncookie: "));
}

#[test]
fn requests_of_other_pages_are_refused_and_nothing_but_the_statistics_is_forwarded() {
    let (url, heads) = upstream();
    let served = dashboard(&url, Some(KEY));
    let port = served.api.rsplit(':').next().unwrap();
    let request = |method: &str, target: &str, headers: &str| {
        let headers = headers.replace("OWN", &served.api).replace("PORT", port);
        let head = format!(
            "{method} {target} HTTP/1.1\r\n{}",
            headers.replace("; ", "\r\n")
        );
        let response = send(&served.api, &format!("{head}\r\nConnection: close\r\n\r\n"));
        response.unwrap()["HTTP/1.1 ".len()..][..3].to_owned()
    };
    for (request_line, status) in rows(
        "
        GET /api/users?project=acme => 404
        GET /api/v2/response-statistics/x => 404
        GET /docs/ => 404
        GET /health => 404
        POST /api/v2/response-statistics?project=acme => 405
        HEAD /api/v2/response-statistics?project=acme => 405
        ",
    ) {
        let (method, target) = request_line.split_once(' ').unwrap();
        assert_eq!(
            request(method, target, "Host: OWN"),
            status,
            "{request_line}"
        );
    }
    for headers in [
        "Host: evil.example",
        "Host: evil.example:PORT",
        "Host: 127.0.0.1:1",
        "Host: 127.0.0.1:PORT; Host: 127.0.0.1:PORT",
        "Host: me@127.0.0.1:PORT",
        "Host: 192.168.0.1:PORT",
        "Host: OWN; Origin: http://evil.example",
        "Host: OWN; Origin: null",
        "Host: OWN; Origin: http://127.0.0.1:1",
        "Host: OWN; Sec-Fetch-Site: cross-site",
        "Host: OWN; Sec-Fetch-Site: same-site",
    ] {
        for target in [STATISTICS, "/", "/dashboard/settings.json"] {
            assert_eq!(request("GET", target, headers), "403", "{headers}");
        }
    }
    // Who opens the page by hand or by a link gets it, and nothing more.
    let link =
        "Host: OWN; Sec-Fetch-Site: cross-site; Sec-Fetch-Mode: navigate; Sec-Fetch-Dest: document";
    for (target, headers, status) in [
        ("/?project=acme", "Host: localhost:PORT", "200"),
        ("/", "Host: [::1]:PORT; Sec-Fetch-Site: none", "200"),
        ("/", link, "200"),
        ("/dashboard/settings.json", link, "403"),
        (STATISTICS, link, "403"),
        (STATISTICS, "Host: OWN; Sec-Fetch-Site: none", "403"),
    ] {
        assert_eq!(
            request("GET", target, headers),
            status,
            "{target} {headers}"
        );
    }
    assert!(heads.try_recv().is_err());
    let own = "Host: OWN; Sec-Fetch-Site: same-origin; Origin: http://OWN";
    assert_eq!(request("GET", STATISTICS, own), "422");
}

#[test]
fn a_redirect_is_not_followed() {
    let (target, heads) = upstream();
    let redirect = format!("302 Found\r\nLocation: {target}");
    let (address, _heads) = service(move |_| with_body(&redirect, ""));
    let served = dashboard(&format!("http://{address}"), Some(KEY));
    let error = bad_gateway(&get(&served.api, STATISTICS, "Accept: */*"));
    assert!(error.contains("redirects"), "{error}");
    assert!(heads.try_recv().is_err());
}

#[test]
fn an_api_that_cannot_be_reached_or_sends_too_much_is_an_error_document() {
    let closed = ClosedPort::reserve();
    let served = dashboard(&format!("http://{}", closed.address()), Some(KEY));
    let error = bad_gateway(&get(&served.api, STATISTICS, "Accept: */*"));
    let expected = format!(
        "cannot reach http://{}/: Connection refused",
        closed.address()
    );
    assert!(error.starts_with(&expected), "{error}");
    let (address, _heads) = service(|_| with_body("200 OK", &"x".repeat(9 << 20)));
    let served = dashboard(&format!("http://{address}"), Some(KEY));
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

#[test]
fn an_address_that_others_reach_and_an_unusable_url_or_key_are_refused() {
    for (arguments, reason) in rows(
        "
        --listen 0.0.0.0:0 => an address of this machine alone
        --url http://me:hunter2@127.0.0.1 => must not contain
        --url ftp://127.0.0.1 => must begin with https://
        ",
    ) {
        let error = error_line(&run(&format!("dashboard {arguments}")));
        let is_clear = error.contains(reason) && !error.contains("hunter2");
        assert!(is_clear, "{error}");
    }
    let mut command = feedback("dashboard --listen 127.0.0.1:0");
    let error = error_line(&output(command.env("FEEDBACK_READ_KEY", "planted\nkey")));
    let is_clear = error.contains("cannot carry") && !error.contains("planted");
    assert!(is_clear, "{error}");
}
