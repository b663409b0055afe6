//! `feedback serve FILE…`: the API and the page over files.

use crate::http::{get, status};
use crate::place::{Place, temporary_folders};
use crate::process::Served;

const RATINGS: &str = "created,rating,plan,userId\n2026-03-01,9,pro,a\nsoon,9,pro,b\n";

#[test]
fn files_are_served_with_a_fresh_key_and_without_a_dynamodb_address() {
    let place = Place::new();
    place.file("My ratings.2026.csv", RATINGS);
    let temporary = place.path("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let start = || {
        let line = "serve --listen 127.0.0.1:0 --map traits.plan --timezone Europe/Prague";
        let mut command = place.command(line);
        command.arg("My ratings.2026.csv").env("TMPDIR", &temporary);
        Served::ready(command.spawn().unwrap())
    };
    let served = start();
    let api = &served.api;
    let greeting = &served.greeting;
    let counts = "\n1 record read, 1 rejected\n";
    assert!(greeting.contains(counts), "{greeting}");
    assert!(!greeting.contains("DynamoDB"), "{greeting}");
    let page = format!("\nOpen http://{api}/?project=My-ratings&timezone=Europe%2FPrague#key=");
    let (_, rest) = greeting.split_once(&page).expect(greeting);
    let key = rest.lines().next().unwrap();
    let header = format!("AuthKey: {key}");
    let question = "/api/v2/response-statistics?project=My-ratings&startDate=2026-03-01&endDate=2026-04-01\
                    &timezone=Europe/Prague&groupBy=user.traits.string.plan";
    let answer = get(api, question, &header);
    assert!(answer.contains(r#""group":"pro""#), "{answer}");
    assert_eq!(status(api, question, "AuthKey: demo-read-key-0000"), 401);
    assert_eq!(status(api, "/", "Accept: */*"), 200);
    let settings = get(api, "/dashboard/settings.json", "Accept: */*");
    for word in [key, "demo"] {
        assert!(!settings.contains(word), "{settings}");
    }
    let other = start();
    assert!(!other.greeting.contains(key), "the key is fresh");
    for served in [served, other] {
        assert!(!served.log(0).contains("panicked"));
        served.end();
    }
    let left = temporary_folders(&temporary);
    assert!(left.is_empty(), "the temporary folders are deleted");
}
