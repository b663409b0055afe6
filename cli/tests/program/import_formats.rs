//! `feedback import`: every format becomes the same tables.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

use crate::operator::Operator;
use crate::process::{imported, output, stderr, succeeded};

/// Two users, four displays; the second display of `007` is the newer one.
const RESPONSES: [&str; 4] = [
    r#"{"id":"r1","created":"2019-11-01T12:51:12.000Z","rating":9,"dismissed":false,"pending":false,"comment":"ignored","user":{"id":"u1","userId":"007","name":"Old","traits":{"plan":"free","seats":3}}}"#,
    r#"{"id":"r2","created":"2019-11-02T12:00:00.000Z","rating":null,"dismissed":true,"user":{"id":"u1","userId":"007","name":"James","email":"j@b.uk","createdAt":"2018-01-01T00:00:00.000Z","traits":{"plan":"pro","seats":3}}}"#,
    r#"{"id":"r3","created":"2019-11-03T12:00:00.000Z","rating":0,"user":{"userId":"m","traits":{"plan":"pro"}}}"#,
    r#"{"id":"r4","created":"2019-11-04T12:00:00.000Z"}"#,
];

#[track_caller]
fn assert_imported(operator: &Operator, user_record_id: &str, name: &str) {
    let figures = json!({
        "responses": 2, "displays": 4, "dismissed": 1, "promoters": 1, "passives": 0, "detractors": 1,
        "nps": 0.0, "frequency": [1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0],
    });
    assert_eq!(operator.figures(""), figures, "{name}");
    assert_eq!(
        operator.figures(" --filter plan=eq:pro")["displays"],
        2,
        "{name}"
    );
    let user = json!({
        "id": user_record_id, "project": "acme", "userId": "007", "lastSeen": "2019-11-02T12:00:00.000Z",
        "created": "2018-01-01T00:00:00.000Z", "email": "j@b.uk", "name": "James", "unsubscribed": false,
        "traits": {"plan": "pro", "seats": 3},
    });
    let users = operator.users();
    assert_eq!(users[0], user, "{name}");
    assert_eq!(
        (users.len(), &users[1]["userId"]),
        (2, &json!("m")),
        "{name}"
    );
}

fn gzipped(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn responses_are_imported_from_every_form_of_json_gzipped_or_not() {
    let list = RESPONSES.join(",\n ");
    let lines = RESPONSES.join("\r\n\r\n");
    let halves = lines.split_at(lines.find("\"r3\"").unwrap());
    let two_members = [gzipped(halves.0.as_bytes()), gzipped(halves.1.as_bytes())].concat();
    for (name, content) in [
        ("lines.ndjson", lines.clone().into_bytes()),
        ("bom.ndjson", [b"\xef\xbb\xbf", lines.as_bytes()].concat()),
        ("array.json", format!("\n[{list}]\n").into_bytes()),
        (
            "document.json",
            format!(r#"{{"page":{{"responses":1}},"responses":[{list}],"next":null}}"#)
                .into_bytes(),
        ),
        ("lines.gz", gzipped(lines.as_bytes())),
        ("members.gz", two_members),
    ] {
        let operator = Operator::new();
        operator.file(name, content);
        let summary = imported(&operator.run(&format!("import responses {name} --project acme")));
        assert_eq!(
            summary, "responses: 4 written, 0 unchanged, 0 rejected\n",
            "{name}"
        );
        assert_imported(&operator, "u1", name);
    }
}

#[test]
fn responses_are_imported_from_a_table_with_mapped_columns() {
    let operator = Operator::new();
    let table = "\u{feff}Response,When,\"Your score, 0-10\",dismissed,userId,name,email,createdAt,traits.plan,traits.seats,Comment\r\n\
        r1,11/1/2019 8:51:12,9,false,007,Old,,,free,3,\"good\nvery \"\"good\"\"\"\r\n\
        r2,11/02/2019 08:00:00,,TRUE,007,James,j@b.uk,12/31/2017 19:00:00,pro,3,\r\n\
        \r\n\
        r3,11/3/2019 7:00:00,0.0,0,m,,,,pro,,\r\n\
        r4,11/4/2019 7:00:00,,,,,,,,,";
    operator.file("survey.csv", table);
    let mut command =
        operator.command("import responses survey.csv --project acme --map id=Response");
    command.args(["--map", "created=When", "--map", "rating=Your score, 0-10"]);
    command.args([
        "--date-format",
        "%m/%d/%Y %H:%M:%S",
        "--timezone",
        "America/New_York",
    ]);
    let output = output(&mut command);
    assert_eq!(
        imported(&output),
        "responses: 4 written, 0 unchanged, 0 rejected\n"
    );
    assert_eq!(
        stderr(&output),
        "survey.csv: columns that are not imported: \"Comment\"\n"
    );
    // A table has no column for the identifier of a user, so it is derived.
    let derived = "0da959ca04a296a3a4787268";
    assert_imported(&operator, derived, "table");
}

#[test]
fn a_cell_of_a_trait_is_a_number_or_boolean_only_in_canonical_form() {
    let operator = Operator::new();
    let cells = [
        ("7", json!(7)),
        ("-1.5", json!(-1.5)),
        ("0", json!(0)),
        ("true", json!(true)),
        ("01234", json!("01234")),
        ("1.50", json!("1.50")),
        ("1e3", json!("1e3")),
        ("+1", json!("+1")),
        ("True", json!("True")),
        ("null", json!("null")),
        ("=1+1", json!("=1+1")),
        (" 7", json!(" 7")),
        (
            "123456789012345678901234567890123456789",
            json!("123456789012345678901234567890123456789"),
        ),
    ];
    let header: Vec<_> = (0..cells.len()).map(|n| format!("traits.t{n}")).collect();
    let row: Vec<_> = cells.iter().map(|(cell, _)| *cell).collect();
    let table = format!("userId;{}\n007;{}\n", header.join(";"), row.join(";"));
    operator.file("users.csv", table);
    succeeded(&operator.run("import users users.csv --project acme"));
    let traits = operator.users()[0]["traits"].clone();
    for (n, (cell, expected)) in cells.iter().enumerate() {
        assert_eq!(&traits[format!("t{n}")], expected, "{cell}");
    }
    succeeded(&operator.run("import users users.csv --project acme --string-traits"));
    assert_eq!(operator.users()[0]["traits"]["t0"], "7");
}

#[test]
fn users_are_imported_in_the_form_that_the_api_returns() {
    let operator = Operator::new();
    let list = r#"{"users":[{"id":"u1","project":"elsewhere","userId":"007","lastSeen":"2016-12-01T00:00:00.000Z",
        "created":"2016-01-01T00:00:00.000Z","email":"john@doe.com","name":"John Doe","unsubscribed":true,
        "traits":{"a":[1,{"b":null}],"n":12345678901234567890.123456789012345678}},{"userId":"42"}]}"#;
    let summary = imported(&operator.run_with_input("import users - --project acme", list));
    assert_eq!(summary, "users: 2 written, 0 unchanged, 0 rejected\n");
    let document = succeeded(&operator.request("users --project acme --json"));
    assert!(
        document.contains(r#""unsubscribed":true,"traits":{"a":[1,{"b":null}],"n":12345678901234567890.123456789012345678}}"#),
        "{document}"
    );
    assert_eq!(operator.users()[1]["userId"], "42");
}

#[test]
fn the_delimiter_is_that_of_the_header_wherever_it_begins_and_ends() {
    for (table, ids) in [
        ("userId;email\r\n007;j@b.uk\r\n", ["007"].as_slice()),
        ("\r\n\nuserId;email\n007;j@b.uk\n", &["007"]),
        ("userId\r;007\nm\n", &[";007", "m"]),
        ("userId;email;\"a, \"\"b\"\",\n,c\"\n007;;\n", &["007"]),
        ("\"a;b;c\"\tuserId\temail\n;\t007\t\n", &["007"]),
        ("a;b,userId,email\n,007,\n", &["007"]),
    ] {
        let operator = Operator::new();
        let import = "import users - --project acme";
        succeeded(&operator.run_with_input(import, table));
        let users = operator.users();
        let imported: Vec<_> = users.iter().map(|user| &user["userId"]).collect();
        assert_eq!(imported, ids, "{table}");
    }
}
