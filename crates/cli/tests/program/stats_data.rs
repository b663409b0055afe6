//! `stats --data` and `mcp --data`: a data folder is opened for each answer.

use std::fs::File;
use std::time::Duration;

use serde_json::{Value, json};

use crate::mcp::{Session, call};
use crate::outcome::succeeded;
use crate::place::Place;

const RECORDS: &str = "created,rating,traits.plan,traits.email\n2026-03-01,9,pro,a@x.org\n";

/// Returns a place whose data folder has a record of the project `acme`.
fn place() -> Place {
    let place = Place::new();
    let import = "import responses - --project acme --data data";
    succeeded(&place.run_with_input(import, RECORDS));
    place
}

#[test]
fn a_command_waits_for_one_that_uses_the_folder_for_a_moment() {
    let place = place();
    let lock = File::open(place.data()).unwrap();
    lock.lock().unwrap();
    let free = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        lock.unlock().unwrap();
    });
    let export = "export responses --project acme --data data";
    assert_eq!(succeeded(&place.run(export)).lines().count(), 1);
    free.join().unwrap();
}

#[test]
fn an_assistant_is_answered_from_a_folder_that_others_use_between_the_calls() {
    let place = place();
    let mut session = Session::start(&mut place.command("mcp --data data --project acme"));
    let march = json!({"start": "2026-03-01", "end": "2026-04-01"});
    let grouped = json!({"start": "2026-03-01", "end": "2026-04-01", "groupBy": "email"});
    let responses =
        |result: &Value| result["structuredContent"]["elements"][0]["responses"].clone();
    let words = |result: &Value| result["content"][0]["text"].to_string();
    // At the same time: each opens the folder after the other.
    for id in 1..5 {
        session.send(&call(id, "statistics", &march));
    }
    for _ in 1..5 {
        let answer = session.next();
        assert_eq!(responses(&answer["result"]), 1, "{answer}");
    }
    let refused = words(&session.call("statistics", &grouped));
    assert!(refused.contains("names people"), "{refused}");
    let import = "import responses - --project acme --data data";
    succeeded(&place.run_with_input(import, RECORDS.replace(",9,", ",3,")));
    let result = session.call("statistics", &march);
    assert_eq!(responses(&result), 2, "{result}");
    let served = place.serve();
    let result = session.call("statistics", &march);
    assert_eq!(responses(&result), 2, "{result}");
    served.end();
    session.end();
}
