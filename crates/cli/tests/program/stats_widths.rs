//! `feedback stats` in terminals of every width, with the longest texts and the largest counts.

use std::process::Command;

use serde_json::{Value, json};

use crate::process::feedback;
use crate::pty::in_terminal;
use crate::terminal::{service, with_body};

const WIDTHS: [u16; 8] = [30, 40, 44, 60, 72, 80, 100, 120];

/// An element of 123,456 responses.
fn element(start: &str, group: &Value, other: bool) -> Value {
    json!({"attributes": {
        "start": format!("{start}T00:00:00.000Z"), "end": "2026-07-01T00:00:00.000Z", "group": group, "other": other,
        "responses": 123_456, "displays": 987_654, "dismissed": 876_543, "promoters": 0, "passives": 0,
        "detractors": 123_456, "nps": -100.0, "frequency": [123_456, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        "superseded": 765_432, "npsLow": -100.0, "npsHigh": -99.9,
    }})
}

/// Returns the address of a service whose response has these elements.
fn serving(elements: &[Value]) -> String {
    let body = json!({"data": elements}).to_string();
    let (address, _) = service(move |_| with_body("200 OK", &body));
    format!("http://{address}")
}

fn stats(options: &str, url: &str) -> Command {
    let mut command = feedback(&format!("stats --project acme --url {url} {options}"));
    command.env("FEEDBACK_READ_KEY", "any-read-key-0000");
    command
}

fn shown(options: &str, url: &str, width: u16) -> String {
    in_terminal(&mut stats(options, url), width)
}

#[test]
fn every_line_fits_and_nothing_but_names_and_filters_is_cut() {
    let long = json!("An enterprise of the north with a yearly contract ".repeat(3));
    let of = |start, group| {
        [
            element(start, group, false),
            element(start, &Value::Null, true),
        ]
    };
    let [first, second] = ["2026-01-01", "2026-04-01"];
    let filter = format!("--filter plan=ne:{}", "long".repeat(50));
    let trend = [first, second].map(|start| element(start, &Value::Null, false));
    let both = [of(first, &long), of(second, &long)].concat();
    for (options, elements) in [
        ("", &trend[..1]),
        ("--interval quarter", &trend[..]),
        ("--group-by plan", &both[..2]),
        ("--interval quarter --group-by plan", &both[..]),
    ] {
        let url = serving(elements);
        for more in [
            "",
            "--confidence 95",
            "--confidence 95 --respondents latest",
        ] {
            for width in WIDTHS {
                let options = format!("{options} {more} {filter}");
                let shown = shown(&options, &url, width);
                for line in shown.lines() {
                    let columns = console::measure_text_width(line);
                    assert!(columns <= usize::from(width), "{width}: {line}");
                    let is_cut = line.contains("An ") || line.contains("  where ");
                    assert!(is_cut || !line.contains('…'), "{width}: {line}");
                }
                let is_divided = elements.len() > 1;
                let has_all =
                    ["RESPONSES", "INTERVAL"].map(|header| shown.contains(header)) == [true; 2];
                let is_said = shown.contains("A wider terminal also shows");
                assert_eq!(is_said, is_divided && !has_all, "{width}: {shown}");
                for whole in ["123,456", "−100.0"] {
                    assert!(shown.contains(whole), "{width}, {options}: {shown}");
                }
            }
        }
    }
}
