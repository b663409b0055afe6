//! What a record may say.

use crate::import::{import, record};

#[test]
fn a_record_that_cannot_be_stored_is_rejected_with_the_reason() {
    #[rustfmt::skip]
    let rows = [
        (r#""rating":11"#, r#"rating must be a whole number from 0 to 10, got "11""#),
        (r#""rating":"+9""#, r#"rating must be a whole number from 0 to 10, got "+9""#),
        (r#""rating":"-0""#, r#"rating must be a whole number from 0 to 10, got "-0""#),
        (r#""rating":"#, "it is not a record"),
        (r#""created":"yesterday""#, r#"created must be an ISO 8601 timestamp, such as 2026-01-31 08:30, got "yesterday""#),
        (r#""created":null"#, "created is missing"),
        (
            r#""created":"9999-12-31T23:59:59.999Z""#,
            "created must be before 9999-12-31T23:59:59.999Z, which no period contains",
        ),
        (r#""dismissed":"maybe""#, "dismissed must be true or false"),
        (r#""id":"""#, "id must be 1 to 999 bytes"),
        (r#""id":["r1"]"#, "id must be a string"),
        (r#""user":{"userId":""}"#, "userId must be 1 to 1024 bytes"),
        (r#""user":{"userId":{"id":7}}"#, "userId must be a string"),
        (r#""user":{"userId":"a\u0000b"}"#, "userId must not hold a NUL"),
        (r#""user":{"userId":"u1","name":"\ud83d"}"#, "name is not valid text"),
        (r#""user":{"traits":[]}"#, "traits must be an object"),
        (r#""user":{"traits":{"a":1,"a":2}}"#, r#"duplicate member "a""#),
        (r#""user":{"traits":{"a":[{"b":1,"b":1}]}}"#, r#"duplicate member "b""#),
        (r#""user":{"traits":{"n":123456789012345678901234567890123456789}}"#, "38 significant digits"),
        (r#""user":{"traits":{"":1}}"#, "empty names"),
        (r#""user":{"traits":{"\ud800x":1}}"#, "it is not a record: unexpected end of hex escape"),
        (r#""user":{"traits":{"a":[{"\ud800x":1}]}}"#, "it is not a record: unexpected end of hex escape"),
        (&with_trait(&nested(31)), "31 levels"),
        (&with_trait(&format!("\"{}\"", "x".repeat(409_600))), "399 KB"),
    ];
    for (members, reason) in rows {
        let valid = [
            r#""id":"bad""#,
            r#""created":"2020-01-01""#,
            r#""rating":null"#,
        ];
        let others = valid
            .into_iter()
            .filter(|other| !members.starts_with(&other[..5]));
        let all: Vec<_> = others.chain([members]).collect();
        let found = record("responses", format!("{{{}}}", all.join(",")));
        let beginning = &members[..members.len().min(100)];
        assert!(
            found.as_ref().is_err_and(|found| found.contains(reason)),
            "{beginning}: {found:?}"
        );
    }
    assert_eq!(
        record("responses", "[[7]]").unwrap_err(),
        "it is not a JSON object"
    );
}

fn with_trait(value: &str) -> String {
    format!(r#""user":{{"traits":{{"a":{value}}}}}"#)
}

fn nested(levels: usize) -> String {
    format!("{}1{}", "[".repeat(levels), "]".repeat(levels))
}

#[test]
fn a_record_whose_user_would_be_too_large_is_rejected_as_a_whole() {
    // DynamoDB counts three bytes for each of these elements, which take two in the file.
    let ones = vec!["1"; 136_100].join(",");
    let email = "x".repeat(500);
    let user = format!(r#"{{"userId":"007","email":"{email}","traits":{{"a":[{ones}]}}}}"#);
    let line = format!(r#"{{"id":"a","created":"2020-01-01","rating":9,"user":{user}}}"#);
    let reason = "the user must not be larger than 399 KB";
    assert!(record("responses", &line).unwrap_err().starts_with(reason));
    assert!(record("responses --no-users", &line).is_ok());
}

#[test]
fn users_are_imported_in_the_form_that_the_api_returns() {
    let list = r#"{"users":[{"id":"u1","project":"elsewhere","userId":"007",
        "lastSeen":"2016-12-01T00:00:00.000Z","created":"2016-01-01T00:00:00.000Z",
        "email":"john@doe.com","name":"John Doe","unsubscribed":true,
        "traits":{"a":[1,{"b":null}],"n":12345678901234567890.123456789012345678}},{"userId":"42"}]}"#;
    let imported = import("users", list).whole();
    let expected = concat!(
        r#"{"created":"2016-01-01T00:00:00.000Z","email":"john@doe.com","id":"u1","#,
        r#""lastSeen":"2016-12-01T00:00:00.000Z","name":"John Doe","#,
        r#""traits":{"a":[1,{"b":null}],"n":12345678901234567890.123456789012345678},"#,
        r#""unsubscribed":true,"userId":"007"}"#
    );
    assert_eq!(imported.users, [expected, r#"{"userId":"42"}"#]);
}

#[test]
fn a_lone_surrogate_in_the_value_of_a_member_that_is_not_imported_does_not_matter() {
    let lines = r#"{"created":"2020-01-01","rating":9,"comment":"\ud83d","answers":[{"a":"\ude00"}]}
        {"created":"2020-01-01","rating":9,"comment":"\ud83e"}
        {"id":"r3","created":"2020-01-01","rating":9,"comment":"\ud83d"}"#;
    let imported = import("responses", lines).whole();
    assert_eq!(imported.displays(), 3);
    assert_eq!(import("responses", lines).responses, imported.responses);
}

#[test]
fn a_record_may_have_a_member_that_is_called_like_a_list() {
    #[rustfmt::skip]
    let rows = [
        ("users", "{\"userId\":\"u1\",\"responses\":[{\"rating\":9}]}\n{\"userId\":\"u2\",\"users\":2}\n", 2),
        (
            "responses",
            "{\"users\":[1],\"responses\":[1],\"created\":\"2020-01-01\",\"rating\":9}\n\
             {\"created\":\"2020-01-02\"}\n",
            2,
        ),
        ("responses", r#"{"id":"1","created":"2020-01-02","rating":9,"responses":3}"#, 1),
        ("responses", r#"{"id":"a","created":"2020-01-01","answers":[],"data":[]}"#, 1),
        ("responses", r#"{"id":"b","data":[{"id":"x"}],"created":"2020-01-01","rating":9}"#, 1),
        // A document with both lists has records of both kinds.
        ("users", r#"{"responses":[{"created":"2020-01-03"}],"users":[{"userId":"u3"}]}"#, 1),
        ("responses", r#"{"responses":[{"created":"2020-01-03"}],"users":[{"userId":"u3"}]}"#, 1),
    ];
    for (kind, text, records) in rows {
        let imported = import(kind, text).whole();
        assert_eq!(
            imported.users.len() + imported.responses.len(),
            records,
            "{text}"
        );
    }
}

#[test]
fn traits_of_a_survey_never_reach_users() {
    #[rustfmt::skip]
    let rows = [
        ("users", r#"{"userId":"a","traits":{"survey.campaign":"x","plan":"pro"}}"#, true),
        ("users", "userId,traits.survey.campaign,traits.plan\na,x,pro\n", true),
        (
            "responses",
            "id,created,rating,userId,traits.survey.campaign,traits.plan\nr,2020-01-01,9,a,x,pro\n",
            false,
        ),
        (
            "responses",
            r#"{"id":"r","created":"2020-01-01","rating":9,"user":{"userId":"a","traits":{"survey.campaign":"x","plan":"pro"}}}"#,
            false,
        ),
    ];
    for (options, text, ignored) in rows {
        let imported = import(options, text).whole();
        let [user] = &imported.users[..] else {
            panic!("{text}")
        };
        assert!(user.contains(r#""traits":{"plan":"pro"}"#), "{user}");
        let told = imported.told.concat();
        assert_eq!(
            told.contains("not imported: \"traits.survey.campaign\" (1)"),
            ignored,
            "{told}"
        );
        let traits = r#""traits":{"plan":"pro","survey.campaign":"x"}"#;
        assert!(
            imported
                .responses
                .iter()
                .all(|response| response.contains(traits)),
            "{text}"
        );
    }
}

#[test]
fn members_that_are_not_imported_are_named_once_with_their_counts() {
    let lines = r#"{"id":"r1","created":"2020-01-01","rating":9,"feedback":"Good","answers":[1],"user":{"userId":"007","phone":"1"}}
        {"id":"r2","created":"2020-01-01","rating":9,"feedback":"Bad","campaign":null}"#;
    let odd =
        |n| format!("{{\"id\":\"r{n}\",\"created\":\"2020-01-01\",\"rating\":9,\"odd{n}\":1}}\n");
    let known = |n| format!("{{\"id\":\"s{n}\",\"created\":\"2020-01-01\",\"feedback\":\"x\"}}\n");
    let many: String = (0..150).map(odd).chain((0..30).map(known)).collect();
    let members: Vec<_> = (0..10_100).map(|n| format!(r#","odd{n}":1"#)).collect();
    let more_than_counted = format!(
        r#"{{"id":"r","created":"2020-01-01","rating":9{}}}"#,
        members.concat()
    );
    #[rustfmt::skip]
    let rows = [
        ("responses", lines, r#""answers" (1), "feedback" (2), "user.phone" (1)"#),
        ("users", r#"{"userId":"007","project":"acme","segments":["a"]}"#, r#""segments" (1)"#),
        (
            "responses",
            "created,rating,name,createdAt\n2020-07-01,5,Joe,2020-06-01\n",
            r#""createdAt" (1), "name" (1)"#,
        ),
        ("responses", &many, r#""feedback" (30), "odd0" (1), "#),
        ("responses", &many, ", and others (131)"),
        ("responses", &more_than_counted, ", and others (10080)"),
    ];
    for (kind, text, named) in rows {
        let imported = import(kind, text).whole();
        let [line] = &imported.told[..] else {
            panic!("{:?}", imported.told)
        };
        let (_, list) = line.split_once(" that are not imported: ").expect(line);
        let is_named = if named.starts_with(',') {
            list.ends_with(named)
        } else {
            list == named || (named.ends_with(' ') && list.starts_with(named))
        };
        assert!(is_named, "{named}: {line}");
    }
}
