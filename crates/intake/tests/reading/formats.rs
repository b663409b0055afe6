//! Every format becomes the same records, as far as a file can be read.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::import::{import, record};

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

/// Gzips without compression, so that what is cut off is known.
fn gzipped(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

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

#[test]
fn a_cell_of_a_trait_is_a_number_or_boolean_only_in_plain_form() {
    let long = "123456789012345678901234567890123456789";
    let typed = [
        ("7", "7"),
        ("-1.5", "-1.5"),
        ("1.50", "1.5"),
        ("1,5", "1.5"),
        ("0", "0"),
        ("True", "true"),
        ("false", "false"),
    ];
    let texts = ["01234", "1e3", "+1", "yes", "=1+1", "1.", long];
    let text = |cell: &str| format!("{cell:?}");
    let rows = typed.map(|(cell, value)| (cell, value.to_owned()));
    for (cell, value) in rows.into_iter().chain(texts.map(|cell| (cell, text(cell)))) {
        for (options, value) in [("users", value), ("users --string-traits", text(cell))] {
            let user = record(options, format!("userId;traits.t\n007;{cell}\n"));
            assert_eq!(
                user.unwrap(),
                format!(r#"{{"traits":{{"t":{value}}},"userId":"007"}}"#)
            );
        }
    }
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
        let users = import("users", table).whole().users;
        let has_ids = users
            .iter()
            .zip(ids)
            .all(|(user, id)| user.ends_with(&format!(r#""userId":"{id}"}}"#)));
        assert!(has_ids && users.len() == ids.len(), "{table}: {users:?}");
    }
}

const LINES: [&[u8]; 3] = [
    br#"{"id":"r1","created":"2020-01-01","rating":9}"#,
    b"{\"id\":\"r2\",\"created\":\"2020-01-01\",\"user\":{\"name\":\"Zo\xff \xc3\xab\xc3\xab\"}}",
    br#"{"id":"r3","created":"2020-01-01","rating":9}"#,
];

#[test]
fn one_byte_that_is_not_utf_8_rejects_its_record_alone() {
    let list = LINES.join(&b",\n"[..]);
    for (content, line) in [
        ([b"[", &*list, b"]\n"].concat(), 2),
        (
            [b"{\"page\":\"\xc3\xab\",\n\"responses\":[", &*list, b"]}"].concat(),
            3,
        ),
        (LINES.join(&b'\n'), 2),
    ] {
        let imported = import("responses", content);
        assert_eq!(imported.rejects, [format!("file:{line}: it is not UTF-8")]);
        assert_eq!(imported.displays(), 2);
        assert_eq!(imported.rejected, [LINES[1], b"\n"].concat());
    }
}

#[test]
fn an_element_that_is_not_json_is_rejected_alone_if_its_end_is_known() {
    let imported = import(
        "responses",
        "[{\"id\":\"r1\",\"created\":\"2020-01-01\",\"rating\":9},{\"id\":\"r2\",\n\"created\":},\n7,\
         {\"id\":\"r3\",\"created\":\"2020-01-01\"}]",
    );
    let [first, second] = &imported.rejects[..] else {
        panic!("{:?}", imported.rejects)
    };
    assert!(first.starts_with("file:1: it is not a record"), "{first}");
    assert_eq!(second, "file:3: it is not a JSON object");
    assert_eq!(imported.rejected(), "{\"id\":\"r2\", \"created\":}\n7\n");
    assert_eq!(imported.displays(), 2);
}

#[test]
fn what_cannot_be_divided_into_records_ends_the_import_after_the_records_before() {
    let first = r#"{"id":"r1","created":"2020-01-01","rating":9}"#;
    let list = format!("[{first}");
    let long = "x".repeat(16 << 20);
    let object = format!(r#"{{"id":"long","created":"2020-01-01","note":"{long}"}}"#);
    let json = "file: it is not valid JSON: ";
    let begins = ", in the record that begins on line 2";
    #[rustfmt::skip]
    let rows = [
        (
            format!("{list},\n{{\"id\":\"r2,\n\"created\":\"2020-01-01\"}}]"),
            [json, "a string is not closed on line 2"],
        ),
        (format!("{list},\n{{\"id\":\"r2\"]"), [json, "expected `,` or `]` on line 2, found its end"]),
        (format!("{list},\n{{\"id\":\"r2\","), [json, begins]),
        (format!("{list},\n{{\"id\":\"r2,\"created\":\"\"}}]"), [json, begins]),
        (format!("{list},\n{{\"id\":"), ["file: it is not valid JSON: EOF", begins]),
        (format!("{list},]"), [json, "expected a value on line 1, found `]`"]),
        (format!("{list} 7]"), [json, "expected `,` or `]` on line 1, found `7`"]),
        (list.clone(), [json, "expected `,` or `]` on line 1, found its end"]),
        (format!("{list}}}"), [json, "expected `,` or `]` on line 1, found `}`"]),
        (format!("{list},,]"), [json, "expected a value on line 1, found `,`"]),
        (
            format!("{list},\n"),
            [json, "EOF while parsing a value at line 1 column 0, in the record that begins on line 2"],
        ),
        (format!("{list},2"), [json, "EOF while parsing a list, in the record that begins on line 1"]),
        (format!("{list},[\n\"a\n\"]]"), [json, "a string is not closed on line 2"]),
        (format!("{list}]x"), [json, "expected its end on line 1, found `x`"]),
        (format!("{list}]\n]"), [json, "expected its end on line 2, found `]`"]),
        (format!("{first}\n{object}\n"), ["file: ", "line 2 is longer than 16 MB"]),
        (
            format!("{list},{object}]"),
            [
                "file: the record that begins on line 1 is longer than 16 MB",
                "; a quote or bracket may be missing",
            ],
        ),
        (
            format!("id,created,rating\nr1,2020-01-01,9\n\"{long}"),
            [
                "file: the quoted cell that begins on line 3",
                "is not closed within 16 MB",
            ],
        ),
    ];
    for (content, [start, end]) in rows {
        let imported = import("responses", &content);
        let error = imported.error.unwrap();
        assert!(error.starts_with(start) && error.ends_with(end), "{error}");
        assert_eq!(imported.responses.len(), 1, "{error}");
    }
}

#[test]
fn what_was_read_of_a_gzipped_file_is_imported() {
    let json = [LINES[0], LINES[2]];
    let lines = json.join(&b'\n');
    let array = [b"[", &*json.join(&b','), b"]"].concat();
    let table = b"id,created,rating\nr1,2020-01-01,9\nr3,2020-01-01,10";
    // Behind the content are eight bytes of checksum and length.
    for (content, cut, displays) in [
        (&*lines, 8 + 2, 1),
        (&*lines, 8, 2),
        (&*array, 8 + 3, 1),
        (&*array, 8, 2),
        (table, 8 + 1, 1),
        (table, 8, 1),
        (b"", 8, 0),
        (table, 8 + table.len(), 0),
    ] {
        let mut cut_off = gzipped(content);
        cut_off.truncate(cut_off.len() - cut);
        let imported = import("responses", cut_off);
        let error = imported.error.as_deref().unwrap();
        assert!(
            error.starts_with("file: cannot read it to its end"),
            "{error}"
        );
        assert_eq!(imported.displays(), displays, "{error}");
    }
    for (content, displays) in [(&*lines, 2), (&*array, 2), (table, 1)] {
        let imported = import("responses", [gzipped(content), vec![0; 512]].concat());
        let error = imported.error.as_deref().unwrap();
        assert_eq!(
            error,
            "file: cannot read it to its end: invalid gzip header"
        );
        assert_eq!(imported.displays(), displays);
    }
}
