//! Files as other services and their scripts write them.

use crate::import::{Imported, import};

/// Returns what the user is told of a file that is imported whole.
#[track_caller]
fn told(options: &str, text: &str) -> Vec<String> {
    import(options, text).whole().told
}

/// Returns why a file is refused, of which nothing is imported or rejected.
#[track_caller]
fn refusal(options: &str, text: &str) -> String {
    let imported = import(options, text);
    let Imported {
        responses, rejects, ..
    } = &imported;
    assert!(responses.is_empty() && rejects.is_empty(), "{rejects:?}");
    imported.error.expect("the file is refused")
}

#[test]
fn a_record_of_json_may_describe_its_user_beside_its_rating() {
    let flat = |members: &str| {
        format!(r#"{{"id":"a","created":"2020-01-01","rating":9,"userId":"77"{members}}}"#)
    };
    let dates = r#""created":"2020-01-01T00:00:00.000Z""#;
    let seen = r#""lastSeen":"2020-01-01T00:00:00.000Z""#;
    #[rustfmt::skip]
    let rows = [
        (r#","traits":{"plan":"pro"}"#, r#"{DATES,"traits":{"plan":"pro"},"userId":"77"}"#),
        (
            r#","email":"j@x","name":"J","traits":{"email":"other@x","name":"K"}"#,
            r#"{CREATED,"email":"j@x",SEEN,"name":"J","traits":{"email":"other@x","name":"K"},"userId":"77"}"#,
        ),
        (
            r#","traits":{"email":"j@x","name":"J"}"#,
            r#"{CREATED,"email":"j@x",SEEN,"name":"J","traits":{"email":"j@x","name":"J"},"userId":"77"}"#,
        ),
        (r#","traits":{"email":7,"name":null},"user":null"#, r#"{DATES,"traits":{"email":7,"name":null},"userId":"77"}"#),
    ];
    for (members, short) in rows {
        let imported = import("responses", flat(members)).whole();
        let user = short
            .replace("DATES", &format!("{dates},{seen}"))
            .replace("CREATED", dates)
            .replace("SEEN", seen);
        assert_eq!(imported.users, [user], "{members}");
        assert!(imported.responses[0].contains(r#""userId":"77""#));
        assert_eq!(imported.told, [""; 0], "{members}");
    }
    // A display of such a sender, which nobody responded to.
    let display = flat(r#","traits":{"plan":"pro"}"#).replace('9', "null");
    assert_eq!(import("responses", display).whole().users.len(), 1);
    // Beside an object `user`, these members are none of the user.
    let both = flat(r#","email":"j@x","traits":{"plan":"pro"},"user":{"name":"J"}"#);
    let ignored = r#""email" (1), "traits" (1), "user.name" (1), "userId" (1)"#;
    let imported = import("responses", both).whole();
    assert_eq!(imported.users, [""; 0]);
    assert_eq!(
        imported.told[0],
        format!("file: members that are not imported: {ignored}")
    );
    // A mapped member replaces that of its name, which is told.
    let other = flat(r#","email":"j@x","mail":"k@x""#);
    let replaced = "file: members that are not imported: \"email\" (1)";
    assert_eq!(told("responses --map email=mail", &other), [replaced]);
    assert_eq!(
        told("responses --map email=email", &flat(r#","email":"j@x""#)),
        [""; 0]
    );
}

#[test]
fn a_list_of_users_with_ratings_is_refused_as_responses() {
    let response = r#"{"id":"a","created":"2020-01-01","rating":9,"userId":"77","traits":{}}"#;
    let error = import("users", response).error.unwrap();
    assert_eq!(
        error,
        "file: these look like responses: use feedback import responses"
    );
    let user = r#"{"userId":"77","created":"2020-01-01","lastSeen":"2020-01-02","rating":9}"#;
    assert_eq!(import("users", user).whole().users.len(), 1);
}

#[test]
fn what_nothing_could_rate_is_refused_and_the_error_shows_what_fits() {
    let json = "file: no record at its beginning has rating or dismissed or answers";
    #[rustfmt::skip]
    let rows = [
        (
            "responses",
            "{\"id\":\"a\",\"created\":\"2020-01-01\",\"score\":9,\"seats\":12,\"id2\":\"x\"}\n\
             {\"created\":\"2020-01-01\",\"score\":\"0\",\"comment\":[1]}",
            "JSON; try --map rating=score",
        ),
        (
            "responses",
            r#"[{"score":10,"id":"7","created_at":1480368452,"updated_at":1480368453,"person":{"id":1}}]"#,
            "JSON, and none has created; try --map rating=score --map created=created_at --date-format unix",
        ),
        (
            "responses --map rating=score",
            "{\"score\":10,\"timestamp\":\"2020-01-01 10:00:00 UTC\"}",
            "file: no record at its beginning has created; try --map created=timestamp",
        ),
        (
            "responses --date-format %d.%m.%Y",
            "{\"rating\":10,\"day\":\"13.1.2020\",\"other\":\"2020-01-01\",\"exact\":\"2020-01-01T10:00Z\"}",
            "file: no record at its beginning has created; try --map created=day",
        ),
        ("responses", r#"{"created":"2020-01-01","points":11}"#, "JSON; try --map rating=\"…\""),
        (
            "responses",
            "created,score,email\n2020-01-01, 8 ,j@x\n2020-01-02,,k@x\n",
            "file: there is no column rating; the columns are \"created\", \"score\", \"email\"; \
             try --map rating=score",
        ),
        (
            "responses",
            "Your score;Effort;When\n9;1;3/4/2026 10:00\n3;2;3/5/2026 11:30\n",
            "file: there is no column rating and no column created; the columns are \"Your score\", \
             \"Effort\", \"When\"; try --map 'rating=Your score' \
             --map created=When --date-format '%m/%d/%Y %H:%M' or \
             --map 'rating=Your score' --map created=When --date-format '%d/%m/%Y %H:%M'",
        ),
        (
            "responses",
            "score,createdAt\n9,2020-01-31\n",
            "file: there is no column rating and no column created; the columns are \"score\", \
             \"createdAt\"; try --map rating=score --map created=createdAt",
        ),
        (
            "responses --map rating=score",
            "score,day\n9,soon\n",
            "file: there is no column created; the columns are \"score\", \"day\"; try --created DATE",
        ),
        (
            "responses",
            "score,day\n9,soon\n",
            "file: there is no column rating and no column created; the columns are \"score\", \"day\"; \
             try --map rating=score --created DATE",
        ),
    ];
    for (options, text, error) in rows {
        assert_eq!(
            refusal(options, text),
            error.replace("JSON", json),
            "{text}"
        );
    }
}

#[test]
fn the_options_of_the_error_import_the_file() {
    let text = "score,When\n9,31/12/2025 10:00\n3,1/2/2026 00:30\n";
    let fits = "--map rating=score --map created=When --date-format ";
    let error = refusal("responses", text);
    assert!(
        error.ends_with(&format!("{fits}'%d/%m/%Y %H:%M'")),
        "{error}"
    );
    let imported = import(&format!("responses {fits}%d/%m/%Y %H:%M"), text).whole();
    let instants = ["2025-12-31T10:00:00.000Z", "2026-02-01T00:30:00.000Z"];
    assert_eq!(imported.instants(), instants);
}

#[test]
fn a_file_is_refused_once_its_first_megabyte_lacks_an_outcome() {
    let line = |n: usize, rest: &str| {
        let note = "x".repeat(1000);
        format!("{{\"id\":\"r{n}\",\"created\":\"2020-01-01\",\"note\":\"{note}\"{rest}}}\n")
    };
    let many = |count| (0..count).map(|n| line(n, "")).collect::<String>();
    let rated = line(9999, r#","rating":9"#);
    let late = [many(1100), rated.clone()].concat();
    let early = [many(900), rated.clone(), many(900)].concat();
    assert!(refusal("responses", &late).contains("no record at its beginning has rating"));
    let imported = import("responses", &early).whole();
    assert_eq!(imported.responses.len(), 1801);
    // What precedes a file that is refused is imported.
    let first = ("first", rated.as_bytes());
    let second = ("second", late.as_bytes());
    for options in ["responses", "responses --keep campaign"] {
        let imported = crate::import::import_files(options, &[first, second]);
        assert!(imported.error.unwrap().starts_with("second: no record"));
        assert_eq!(imported.responses.len(), 1);
    }
}

#[test]
fn displays_alone_are_imported_and_said_to_be_unrated() {
    let record = |rest: &str| format!(r#"{{"id":"a","created":"2020-01-01"{rest}}}"#);
    let unrated = "no record is rated";
    for (options, text) in [
        ("responses", record(r#","rating":null"#)),
        ("responses", record(r#","dismissed":true"#)),
        ("responses", record(r#","answers":[]"#)),
        ("responses --map rating=score", record(r#","score":null"#)),
        (
            "responses --map dismissed=closed",
            record(r#","closed":true"#),
        ),
        (
            "responses",
            "created,rating\n2020-01-01,\n2020-01-02, \n".to_owned(),
        ),
        (
            "responses",
            "created,dismissed\n2020-01-01, TRUE\n".to_owned(),
        ),
    ] {
        let told = told(options, &text);
        assert_eq!(told.last().unwrap(), unrated, "{text}");
    }
    // SatisMeter's documents are displays, whatever they lack.
    let lacking = "file: no record at its beginning has rating or dismissed or answers";
    for document in [
        format!(r#"{{"responses":[{}]}}"#, record("")),
        format!(
            r#"{{"data":[{}],"page":{{"hasNextPage":false}}}}"#,
            record("")
        ),
    ] {
        assert_eq!(told("responses", &document), [lacking, unrated]);
    }
    assert_eq!(told("users", r#"{"userId":"007"}"#), [""; 0]);
    // Beside answers whose question is not named, that would be no news.
    let answered = record(r#","answers":[{"id":"q","value":9}]"#);
    let lines = format!("{}\n{answered}", record(r#","rating":null"#));
    let told = import("responses", lines).told;
    assert_eq!(told.len(), 2, "{told:?}");
}

#[test]
fn addresses_without_user_ids_make_no_users_and_the_option_is_shown() {
    let note = "file: no users are made, because no record has a userId; to identify them by their \
                e-mail addresses: --map userId=";
    let json = |rest: &str| format!(r#"{{"created":"2020-01-01","rating":9,{rest}}}"#);
    for (options, text, column) in [
        (
            "responses",
            "created,rating,email\n2020-01-01,9,j@x\n".to_owned(),
            "email",
        ),
        (
            "responses --map email=Mail",
            "created,rating,Mail\n2020-01-01,9,j@x\n".to_owned(),
            "Mail",
        ),
        ("responses", json(r#""email":"j@x""#), "email"),
        ("responses", json(r#""user":{"email":"j@x"}"#), "user.email"),
        (
            "responses --map email=who.mail",
            json(r#""who":{"mail":"j@x"}"#),
            "who.mail",
        ),
    ] {
        let lines = told(options, &text);
        assert_eq!(lines.last(), Some(&format!("{note}{column}")), "{text}");
        let map = if options.contains("Mail") {
            "responses"
        } else {
            options
        };
        let imported = import(&format!("{map} --map userId={column}"), &text).whole();
        assert!(imported.users[0].contains(r#""userId":"j@x""#), "{text}");
    }
    for (options, text) in [
        (
            "responses --no-users",
            "created,rating,email\n2020-01-01,9,j@x\n",
        ),
        ("responses", "created,rating,email\n2020-01-01,9,\n"),
        (
            "responses",
            "created,rating,email,userId\n2020-01-01,9,j@x,u\n2020-01-02,9,k@x,\n",
        ),
    ] {
        let lines = told(options, text);
        assert!(!lines.concat().contains("no users are made"), "{lines:?}");
    }
}

#[test]
fn an_empty_file_is_an_error_and_an_empty_list_is_said() {
    for text in ["", "\n \n", "\u{feff}"] {
        assert_eq!(refusal("responses", text), "file: it is empty");
    }
    for (kind, text) in [
        ("responses", "created,rating\n"),
        ("responses", "[]"),
        ("responses", r#"{"responses":[]}"#),
        ("users", r#"{"users":[]}"#),
        ("users", "userId\n\n"),
    ] {
        assert_eq!(told(kind, text), ["file: it has no records"], "{text}");
    }
}
