//! Every format becomes the same records, as far as a file can be read.

use crate::import::import;
use crate::limits::gzipped;

/// Four displays of two users.
const RESPONSES: [&str; 4] = [
    r#"{"id":"r1","created":"2019-11-01T12:51:12.000Z","rating":9,"dismissed":false,"pending":false,"comment":"ignored","user":{"userId":"007","name":"Old","traits":{"plan":"free","seats":3}}}"#,
    r#"{"id":"r2","created":"2019-11-02T12:00:00.000Z","rating":null,"dismissed":true,"user":{"userId":"007","name":"James","email":"j@b.uk","createdAt":"2018-01-01T00:00:00.000Z","traits":{"plan":"pro","seats":3}}}"#,
    r#"{"id":"r3","created":"2019-11-03T12:00:00.000Z","rating":0,"user":{"userId":"m","traits":{"plan":"pro"}}}"#,
    r#"{"id":"r4","created":"2019-11-04T12:00:00.000Z"}"#,
];

/// The same, imported.
const IMPORTED: [&str; 4] = [
    r#"{"at":"2019-11-01T12:51:12.000Z#r1","rating":9,"traits":{"plan":"free","seats":3},"userId":"007"}"#,
    r#"{"at":"2019-11-02T12:00:00.000Z#r2","dismissed":true,"traits":{"plan":"pro","seats":3},"userId":"007"}"#,
    r#"{"at":"2019-11-03T12:00:00.000Z#r3","rating":0,"traits":{"plan":"pro"},"userId":"m"}"#,
    r#"{"at":"2019-11-04T12:00:00.000Z#r4"}"#,
];

const USERS: [&str; 3] = [
    r#"{"created":"2019-11-01T12:51:12.000Z","lastSeen":"2019-11-01T12:51:12.000Z","name":"Old","traits":{"plan":"free","seats":3},"userId":"007"}"#,
    r#"{"created":"2018-01-01T00:00:00.000Z","email":"j@b.uk","lastSeen":"2019-11-02T12:00:00.000Z","name":"James","traits":{"plan":"pro","seats":3},"userId":"007"}"#,
    r#"{"created":"2019-11-03T12:00:00.000Z","lastSeen":"2019-11-03T12:00:00.000Z","traits":{"plan":"pro"},"userId":"m"}"#,
];

#[test]
fn responses_are_imported_from_every_format_gzipped_or_not() {
    let list = RESPONSES.join(",\n ");
    let lines = RESPONSES.join("\r\n\r\n");
    let halves = lines.split_at(lines.find("\"r3\"").unwrap());
    let document = format!(r#"{{"page":{{"responses":1}},"responses":[{list}],"next":null}}"#);
    let table = "\u{feff}Response,When,\"Your score, 0-10\",dismissed,userId,name,email,createdAt,traits.plan,traits.seats,Comment\r\n\
        r1,11/1/2019 8:51:12,9,false,007,Old,,,free,3,\"good\nvery \"\"good\"\"\"\r\n\
        r2,11/02/2019 08:00:00,,TRUE,007,James,j@b.uk,12/31/2017 19:00:00,pro,3,\r\n\
        \r\n\
        r3,11/3/2019 7:00:00,0.0,0,m,,,,pro,,\r\n\
        r4,11/4/2019 7:00:00,,,,,,,,,";
    let mapped = "responses --map id=Response --map created=When --map rating=Your score, 0-10 \
        --date-format %m/%d/%Y %H:%M:%S --timezone America/New_York";
    let json = r#"members that are not imported: "comment" (1)"#;
    #[rustfmt::skip]
    let rows = [
        ("responses", lines.clone().into_bytes(), json),
        ("responses", [b"\xef\xbb\xbf", lines.as_bytes()].concat(), json),
        ("responses", format!("\n[{list}]\n").into_bytes(), json),
        ("responses", document.into_bytes(), json),
        ("responses", gzipped(lines.as_bytes()), json),
        ("responses", [gzipped(halves.0.as_bytes()), gzipped(halves.1.as_bytes())].concat(), json),
        (mapped, table.into(), r#"columns that are not imported: "Comment""#),
    ];
    for (options, content, ignored) in rows {
        let imported = import(options, content).whole();
        assert_eq!(imported.responses, IMPORTED, "{options}");
        assert_eq!(imported.users, USERS, "{options}");
        assert_eq!(imported.told, [format!("file: {ignored}")]);
    }
    // A mapped field is not read from the column of its name, and an empty cell is absent.
    let table = "id,created,rating,Your score,userId,name\nr1,2020-01-01,1,9,007,\n";
    let imported = import("responses --map rating=Your score", table).whole();
    let response = r#"{"at":"2020-01-01T00:00:00.000Z#r1","rating":9,"userId":"007"}"#;
    assert_eq!(imported.responses, [response]);
    assert!(!imported.users[0].contains("name"));
    let with_id =
        r#"{"id":"r1","created":"2019-11-01","rating":9,"user":{"id":"u1","userId":"007"}}"#;
    assert!(import("responses", with_id).users[0].contains(r#""id":"u1""#));
}
