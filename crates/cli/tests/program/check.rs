//! `feedback check`: what it shows in a terminal, and what has no findings.

use serde_json::{Value, json};

use crate::http::put_items;
use crate::operator::Operator;
use crate::outcome::succeeded;
use crate::place::Place;
use crate::process::output;

/// Returns a response, whose id has a SHA-256 that begins with 8, with these attributes, too.
fn response(shard: &str, attributes: Value) -> Value {
    let mut item = json!({"shard": {"S": shard}, "at": {"S": "2026-01-31T08:30:00.000Z#5f0c"}});
    let Value::Object(attributes) = attributes else {
        panic!("no attributes")
    };
    item.as_object_mut().unwrap().extend(attributes);
    item
}

/// Writes items of which the API does not read some: of January 2026 and, the first, of the month before. The second,
/// of March, is read.
pub(crate) fn put_unread(dynamodb: &str) {
    let person = json!({"userId": {"S": "u-in-no-shard"}});
    let damaged = json!({"rating": {"N": "11"}, "userId": {"S": "u1"}});
    let mut earlier = response("acme#8", damaged.clone());
    earlier["at"] = json!({"S": "2025-12-31T08:30:00.000Z#5f0c"});
    let mut read = response("acme#8", json!({"rating": {"N": "9"}}));
    read["at"] = json!({"S": "2026-03-31T08:30:00.000Z#5f0c"});
    let responses = [
        earlier,
        read,
        response("acme#8", damaged),
        response("acme#z", person.clone()),
        response("acme#zz", person),
        response("acme-2#z", json!({"userId": {"S": "of-another"}})),
        response(
            "zoo#8",
            json!({"rating": {"N": "9"}, "dismissed": {"BOOL": true}}),
        ),
    ];
    put_items(dynamodb, "responses", &responses);
    let users = [
        json!({"project": {"S": "acme"}, "userId": {"S": "u1"}, "created": {"N": "1"}}),
        json!({"project": {"S": "zoo"}, "userId": {"S": "u2"}}),
    ];
    put_items(dynamodb, "users", &users);
    let credentials = [
        json!({"digest": {"S": "NO-DIGEST"}, "may": {"S": "x"}}),
        json!({"digest": {"S": "0".repeat(64)}, "projects": {"SS": ["zoo"]}, "may": {"SS": ["users"]}, "username": {"NULL": true}, "label": {"N": "1"}}),
    ];
    put_items(dynamodb, "credentials", &credentials);
}

#[test]
fn keys_that_may_name_people_are_shown_in_a_terminal_alone() {
    let operator = Operator::new();
    put_unread(operator.served().dynamodb());
    let mut check = operator.command("check --project zoo");
    let piped = succeeded(&output(&mut check));
    let (found, key) = ("note: no created", r#"["zoo", "u2"]"#);
    assert!(piped.contains(found) && !piped.contains("u2"), "{piped}");
    let shown = crate::pty::in_terminal(&mut check, 80);
    assert!(shown.contains(found) && shown.contains(key), "{shown}");
}

/// Returns what the API answers about the project, read from a data folder: the figures in groups, with filters,
/// and of the newest rating of each person; and the traits.
fn answers(place: &Place, folder: &str) -> [String; 5] {
    [
        "--group-by plan",
        "--group-by boolean.trial --filter seats=number.gte:3",
        "--filter tags=eq:a --filter seats=number.lt:1000",
        "--respondents latest --interval month",
        "--traits",
    ]
    .map(|options| {
        let period = "--start 2026-01-01 --end 2027-01-01";
        let line = format!("stats --json --data {folder} --project acme {period} {options}");
        succeeded(&place.run(&line))
    })
}

#[test]
fn export_and_import_change_no_figure_of_what_has_no_findings() {
    let outcomes = [
        json!({}),
        json!({"rating": {"N": "9.0"}, "userId": {"S": "u1"}}),
        json!({"rating": {"N": "1E1"}, "userId": {"NULL": true}, "comment": {"S": "ignored"}}),
        json!({"rating": {"N": "0"}, "dismissed": {"BOOL": true}, "userId": {"S": "u1"}}),
        json!({"rating": {"NULL": true}, "dismissed": {"BOOL": true}}),
        json!({"dismissed": {"BOOL": false}, "userId": {"S": "u2"}}),
    ];
    let traits = [
        json!({"NULL": true}),
        json!({"M": {}}),
        json!({"M": {"plan": {"S": ""}, "seats": {"N": "3.00"}, "trial": {"BOOL": true}}}),
        json!({"M": {"plan": {"NULL": true}, "seats": {"S": "3"}, "tags": {"SS": ["a"]}}}),
        json!({"M": {"plan": {"M": {"a": {"B": "YQ=="}}}, "seats": {"NS": ["3"]}, "tags": {"BS": ["YQ=="]}}}),
        json!({"M": {"plan": {"S": "pro"}, "seats": {"N": "1e2"}, "tags": {"L": [{"S": "a"}]}, "survey.campaign": {"S": "a"}}}),
    ];
    let mut responses = Vec::new();
    for (day, outcome) in outcomes.iter().enumerate() {
        for (second, traits) in traits.iter().enumerate() {
            let mut item = response("acme#8", outcome.clone());
            item["at"] = json!({"S": format!("2026-01-{:02}T08:30:0{second}.000Z#5f0c", day + 1)});
            item["traits"] = traits.clone();
            responses.push(item);
        }
    }
    let place = Place::new();
    let served = place.serve();
    for responses in responses.chunks(20) {
        put_items(served.dynamodb(), "responses", responses);
    }
    drop(served);
    assert!(succeeded(&place.run("check --data data")).contains("responses: 36 checked\n"));
    let exported = succeeded(&place.run("export responses --project acme --data data"));
    succeeded(&place.run_with_input("import responses - --project acme --data other", exported));
    let found = succeeded(&place.run("check --data other"));
    let expected = "responses: 36 checked\nusers: 2 checked\ncredentials: 0 checked\n";
    assert_eq!(found, expected);
    let answers = ["other", "data"].map(|folder| answers(&place, folder));
    assert_eq!(answers[0], answers[1]);
    assert!(answers[0].iter().all(|answer| answer.contains("acme")));
}
