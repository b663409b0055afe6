//! `feedback import`: an import adds and changes, but never takes away.

use serde_json::json;

use crate::http::put_item;
use crate::operator::Operator;
use crate::outcome::{counts, failed, imported};

/// Imports a file of this content.
#[track_caller]
fn import(operator: &Operator, content: &str) {
    operator.file("file", content);
    imported(&operator.run("import responses file --project acme"));
}

/// A record whose user's traits fit into an item once, but not twice.
fn large(id: &str, trait_name: &str) -> String {
    let text = "x".repeat(250_000);
    format!(
        r#"{{"id":"{id}","created":"2020-01-0{}","rating":9,"user":{{"userId":"007","traits":{{"{trait_name}":"{text}"}}}}}}"#,
        id.len()
    )
}

#[test]
fn a_user_who_would_be_too_large_stays_as_stored_and_its_displays_are_imported() {
    let operator = Operator::new();
    import(&operator, &large("a", "one"));
    let stored = operator.users();
    operator.file("more", [large("bb", "two"), large("ccc", "two")].join("\n"));
    let output = operator.run("import responses more --project acme --rejects rejects");
    let errors = failed(&output, 2);
    let reason = "1 user left as stored: larger than 399 KB with what the records say";
    assert!(errors.contains(reason), "{errors}");
    let expected = "responses: 2 written, 0 unchanged, 0 rejected\n";
    assert_eq!(counts(&output), expected);
    assert!(operator.users() == stored);
    assert_eq!(operator.figures("")["responses"], 3);

    // A record of a list is rejected, wherever it is in the order of the users.
    let text = "x".repeat(250_000);
    let user = format!(r#"{{"userId":"007","created":"2020-01-01","traits":{{"two":"{text}"}}}}"#);
    let other = r#"{"userId":"001","email":"a@b"}"#;
    operator.file("users.ndjson", [&user, other].join("\n"));
    let output = operator.run("import users users.ndjson --project acme --rejects rejects");
    let errors = failed(&output, 2);
    let reason =
        "users.ndjson:1: the user must not be larger than 399 KB together with what is stored";
    assert!(errors.contains(reason), "{errors}");
    let expected = "users: 1 written, 0 unchanged, 1 rejected\n";
    assert_eq!(counts(&output), expected);
    assert!(
        operator.read("rejects") == format!("{user}\n"),
        "the record as it was"
    );
    assert!(operator.users().contains(&stored[0]));
}

#[test]
fn a_display_that_would_be_too_large_is_rejected_and_stays_as_stored() {
    let operator = Operator::new();
    let alone = |name: &str| large("a", name).replace(r#""userId":"007","#, "");
    import(&operator, &alone("one"));
    let before = operator.export("responses");
    operator.file("second", alone("two"));
    let import = "import responses second --project acme --rejects rejects";
    let errors = failed(&operator.run(import), 2);
    let reason = "second:1: the record must not be larger than 399 KB together with what is stored";
    assert!(errors.contains(reason), "{errors}");
    assert_eq!(operator.read("rejects"), format!("{}\n", alone("two")));
    assert!(operator.export("responses") == before);
}

#[test]
fn a_set_that_another_program_stored_keeps_its_type_when_its_values_are_imported() {
    let operator = Operator::new();
    let item = json!({
        "shard": {"S": "acme#c"}, "at": {"S": "2020-01-01T00:00:00.000Z#a"}, "rating": {"N": "9"},
        "traits": {"M": {"tags": {"SS": ["a", "b"]}}},
    });
    put_item(operator.served().dynamodb(), "responses", &item.to_string());
    operator.file("exported.ndjson", operator.export("responses").join("\n"));
    assert_eq!(
        imported(&operator.run("import responses exported.ndjson --project acme")),
        "responses: 0 written, 1 unchanged, 0 rejected\n"
    );
}
