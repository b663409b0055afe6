//! The commands of docs/import.md for moving in from another service, run as they stand there against a
//! server of made-up pages.

use std::process::Output;

use axum::Router;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::routing::get;
use serde_json::{Value, json};
use test_support::serve;

use crate::outcome::{failed, succeeded};
use crate::process::{output, script};

/// Two pages of made-up records: 30 of the campaign `nps-2026`, and 10 of another.
const PAGES: [&str; 2] = [
    include_str!("satismeter/page-1.json"),
    include_str!("satismeter/page-2.json"),
];

const DOCUMENT: &str = include_str!("../../../../docs/import.md");

/// A block of code of the document: its language, and its text.
type Block = (&'static str, &'static str);

/// Returns the blocks of the section with this heading.
fn blocks(heading: &str) -> Vec<Block> {
    let (_, section) = DOCUMENT
        .split_once(&format!("\n### {heading}\n"))
        .expect(heading);
    let section = section.split("\n##").next().unwrap_or_default();
    let mut blocks = section.split("```").skip(1).step_by(2);
    let mut all = Vec::new();
    while let Some((language, text)) = blocks.next().and_then(|block| block.split_once('\n')) {
        all.push((language, text));
    }
    assert!(!all.is_empty(), "{heading}");
    all
}

const KEY: &str = "secret-key-0000000";

/// A folder, and a server that exports made-up records.
struct Source {
    folder: tempfile::TempDir,
    url: String,
}

impl Source {
    /// Serves two pages. The cursor of the second needs an encoding.
    fn new() -> Self {
        let page = |headers: HeaderMap, uri: Uri| async move {
            let query = uri.query().unwrap_or_default();
            let cursor = query.strip_prefix("startDate=2010-01-01T00:00:00Z&pageSize=100");
            let cursor = cursor.filter(|_| headers["authorization"] == format!("Bearer {KEY}"));
            match cursor {
                Some("") => Ok(PAGES[0].replace("WzE3ODU2XQ", "a+b/c= &")),
                Some("&pageCursor=a%2Bb%2Fc%3D%20%26") => Ok(PAGES[1].to_owned()),
                _ => Err(StatusCode::BAD_REQUEST),
            }
        };
        let responses = |headers: HeaderMap, uri: Uri| async move {
            let is_valid = uri.query() == Some("format=json&project=p1&startDate=2010-01-01")
                && headers["authkey"] == KEY;
            let document = json!({"responses": rated()}).to_string();
            is_valid.then_some(document).ok_or(StatusCode::BAD_REQUEST)
        };
        let router = Router::new()
            .route("/api/v3/projects/p1/responses", get(page))
            .route("/api/responses", get(responses));
        Self::serving(router)
    }

    fn serving(router: Router) -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            url: serve(router),
        }
    }

    /// Runs a block of the document.
    fn run(&self, text: &str) -> Output {
        let text = text.replace("https://app.satismeter.com", &self.url);
        let mut command = script(&text);
        command
            .current_dir(self.folder.path())
            .env("SATISMETER_KEY", KEY)
            .env("SATISMETER_PROJECT", "p1");
        output(&mut command)
    }
}

/// Returns the records of the campaign as the older export has them: with a member `rating`.
fn rated() -> Vec<Value> {
    let pages = PAGES.map(|page| serde_json::from_str::<Value>(page).unwrap());
    let records = pages
        .iter()
        .flat_map(|page| page["data"].as_array().unwrap());
    let of_campaign = records.filter(|record| record["campaign"] == "nps-2026");
    let rated = of_campaign.map(|record| {
        let mut record = record.clone();
        let answers = record["answers"].take();
        record["rating"] = answers.pointer("/0/value").cloned().into();
        record
    });
    rated.collect()
}

/// What an import of the campaign's records prints.
const STORED: &str = "responses: 30 written, 0 unchanged, 0 rejected

project acme, all that is stored
records     30
rated       25
dismissed   5
pending     0
promoters   6
detractors  11
score       -20.0
";

#[test]
#[ignore = "needs curl and jq: just limits"]
fn pages_of_api_v3_are_fetched_and_imported_with_the_documented_figures() {
    let source = Source::new();
    let [(_, fetch), (_, questions), (_, import), (_, figures)] = blocks("API v3")[..] else {
        panic!("the section has other blocks");
    };
    let dry_run = source.run(fetch);
    let errors = failed(&dry_run, 2);
    assert!(errors.ends_with(questions), "{errors}");
    assert!(!source.folder.path().join("key.txt").exists());
    assert!(!source.folder.path().join("page-0003.json").exists());
    let imported = source.run(import);
    assert_eq!(succeeded(&imported), figures);
    assert!(!source.folder.path().join("rejected.ndjson").exists());
    let export = source.run("feedback export responses --project acme --data ./data");
    let kept = r#""survey.location.country":"CZ","survey.method":"In-App""#;
    assert!(succeeded(&export).contains(kept), "{export:?}");
}

#[test]
#[ignore = "needs curl and jq: just limits"]
fn the_export_of_responses_is_fetched_and_imported() {
    let source = Source::new();
    let (_, import) = blocks("The export of responses")[0];
    assert_eq!(succeeded(&source.run(import)), STORED);
}

#[test]
#[ignore = "needs curl and jq: just limits"]
fn more_than_ten_pages_are_fetched() {
    let page = |uri: Uri| async move {
        let query = uri.query().unwrap_or_default();
        let (_, cursor) = query.split_once("pageCursor=").unwrap_or(("", "1"));
        let next = cursor.parse::<u8>().unwrap() + 1;
        let page = json!({"hasNextPage": true, "nextPageCursor": (next <= 12).then_some(next)});
        json!({"data": [], "page": page}).to_string()
    };
    let source = Source::serving(Router::new().route("/api/v3/projects/p1/responses", get(page)));
    for stale in ["page-1.json", "page-0013.json"] {
        let last = r#"{"data":[],"page":{"hasNextPage":false}}"#;
        std::fs::write(source.folder.path().join(stale), last).unwrap();
    }
    let (_, fetch) = blocks("API v3")[0];
    let errors = failed(&source.run(fetch), 2);
    assert!(errors.contains("(12) is the last"), "{errors}");
}
