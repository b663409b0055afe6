//! `feedback check` over a data folder and a served store, and the erasure of what it finds.

use serde_json::{Value, json};

use crate::http::put_items;
use crate::operator::Operator;
use crate::outcome::{stderr, succeeded};
use crate::place::{Place, contains};
use crate::process::{at_store, output};

/// Returns a response, whose id has a SHA-256 that begins with 8, with these attributes, too.
fn response(shard: &str, attributes: Value) -> Value {
    let mut item = json!({"shard": {"S": shard}, "at": {"S": "2026-01-31T08:30:00.000Z#5f0c"}});
    let Value::Object(attributes) = attributes else {
        panic!("no attributes")
    };
    item.as_object_mut().unwrap().extend(attributes);
    item
}

/// Writes items of which the API does not read some.
fn put_all(dynamodb: &str) {
    let person = json!({"userId": {"S": "u-in-no-shard"}});
    let responses = [
        response(
            "acme#8",
            json!({"rating": {"N": "11"}, "userId": {"S": "u1"}}),
        ),
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
    put_items(
        dynamodb,
        "credentials",
        &[json!({"digest": {"S": "NO-DIGEST"}, "may": {"S": "x"}})],
    );
}

/// The findings that are expected without a project.
const ALL: &str = "\
responses: 5 checked
        1  a rating that is no whole N from 0 to 10: not counted
        3  a shard that nothing reads: not counted
        1  note: a rating, and dismissed: counts as rated
users: 2 checked
        1  a created that is no instant: served as 1970-01-01
        1  note: no created: served as 1970-01-01
credentials: 1 checked
        1  a key that is no digest: no secret matches it
        1  no valid projects, may and username: authorizes nothing
";

fn stdout(output: &std::process::Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn what_the_api_does_not_read_is_counted_by_kind_in_a_folder_and_through_an_address() {
    let place = Place::new();
    let served = place.serve();
    put_all(served.dynamodb());
    let through = |line: &str| {
        let address = format!("http://{}", served.dynamodb());
        output(at_store(&mut place.command(line), &address))
    };
    assert_eq!(stdout(&through("check"), 2), ALL);
    let of_project = through("check --project acme");
    assert!(stderr(&of_project).contains("found without --project only"));
    let found = stdout(&of_project, 2);
    assert!(found.starts_with("responses: 1 checked\n"), "{found}");
    let beside = stdout(&place.run("check --project acme --data data"), 2);
    assert!(beside.starts_with("responses: 3 checked\n"), "{beside}");
    assert_eq!(stdout(&place.run("check --data data"), 2), ALL);
    drop(served);

    assert_eq!(stdout(&place.run("check --data data"), 2), ALL);
    let of_project = stdout(&place.run("check --project acme --data data"), 2);
    assert!(
        of_project.starts_with("responses: 3 checked\n")
            && of_project.contains("\n        2  a shard")
    );
    assert!(!of_project.contains("credentials"), "{of_project}");
    let of_other = place.run("check --project zoo --data data");
    assert!(stdout(&of_other, 0).contains("note: a rating, and dismissed"));
    let json: Value =
        serde_json::from_str(&stdout(&place.run("check --data data --json"), 2)).unwrap();
    let key = ["acme#8", "2026-01-31T08:30:00.000Z#5f0c"];
    assert_eq!(
        json["responses"]["found"]["a rating that is no whole N from 0 to 10: not counted"],
        json!({"items": 1, "examples": [key]})
    );
}

#[test]
fn keys_that_may_name_people_are_shown_in_a_terminal_alone() {
    let operator = Operator::new();
    put_all(operator.served().dynamodb());
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
    assert_eq!(answers(&place, "other"), answers(&place, "data"));
    assert_eq!(
        answers(&place, "data").map(|it| it.contains("acme")),
        [true; 5]
    );
}

#[test]
fn an_erasure_in_a_folder_reaches_shards_that_nothing_reads() {
    let place = Place::new();
    let served = place.serve();
    put_all(served.dynamodb());
    drop(served);
    let contains = |text| {
        let mut files = std::fs::read_dir(place.data()).unwrap();
        files.any(|file| contains(&file.unwrap().path(), text))
    };
    assert!(contains("u-in-no-shard"));
    let erase = "erase --project acme --data data --yes";
    succeeded(&place.run(&format!("{erase} --user-id u-in-no-shard")));
    assert!(!contains("u-in-no-shard"));
    succeeded(&place.run(&format!("{erase} --all")));
    assert!(!contains("acme#"));
    assert!(contains("acme-2#z") && contains("of-another"));
}
