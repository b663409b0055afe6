use model::items::Table;
use serde_json::{Value, json};

use super::{Finding, findings};
use crate::members::ItemMembers;

const ID: &str = "5f0c";
const CREATED: &str = "2026-01-31T08:30:00.000Z";

/// Returns the item with these attributes, too, or in the place of its own.
fn item(mut item: Value, attributes: Value) -> String {
    let Value::Object(attributes) = attributes else {
        panic!("no attributes")
    };
    item.as_object_mut().unwrap().extend(attributes);
    item.to_string()
}

fn found(table: Table, json: &str) -> Vec<Finding> {
    findings(table, &ItemMembers::of_item(json).unwrap())
}

/// Checks that each of these attributes alone leads to a finding whose text begins so; those of an empty text
/// lead to none.
#[track_caller]
fn assert_found(table: Table, base: &Value, cases: &[(Value, &str)]) {
    for (attributes, expected) in cases {
        let found = found(table, &item(base.clone(), attributes.clone()));
        let is_expected = match &found[..] {
            [] => expected.is_empty(),
            [only] => !expected.is_empty() && only.0.starts_with(expected),
            _ => false,
        };
        assert!(is_expected, "{attributes}: {found:?}");
    }
}

fn response() -> Value {
    // The SHA-256 of the id begins with 8.
    json!({"shard": {"S": "acme#8"}, "at": {"S": format!("{CREATED}#{ID}")}})
}

#[test]
fn what_the_figures_leave_out_of_a_response_or_count_otherwise_is_found() {
    let at = |at: String| json!({"at": {"S": at}});
    let rating = |rating: Value| json!({"rating": rating});
    assert_found(
        Table::Responses,
        &response(),
        &[
            (json!({}), ""),
            (json!({"shard": {"S": "acme#2"}}), "not the shard of its id"),
            (
                json!({"shard": {"S": "acme#g"}}),
                "a shard that nothing reads",
            ),
            (
                json!({"shard": {"S": "acme#88"}}),
                "a shard that nothing reads",
            ),
            (
                json!({"shard": {"S": "acme"}}),
                "a shard that nothing reads",
            ),
            (
                json!({"shard": {"S": "a.b#8"}}),
                "a shard that nothing reads",
            ),
            (
                at(format!("2026-01-31T08:30:00Z#{ID}")),
                "an instant in another form",
            ),
            (at(format!("31.01.2026#{ID}")), "no instant"),
            (at(format!("#{ID}")), "no instant"),
            (rating(json!({"N": "0"})), ""),
            (rating(json!({"N": "10"})), ""),
            (rating(json!({"NULL": true})), ""),
            (rating(json!({"N": "11"})), "a rating that is no whole N"),
            (rating(json!({"N": "8.5"})), "a rating that is no whole N"),
            (rating(json!({"N": "-1"})), "a rating that is no whole N"),
            (rating(json!({"S": "9"})), "a rating that is no whole N"),
            (json!({"dismissed": {"BOOL": true}}), ""),
            (
                json!({"dismissed": {"S": "true"}}),
                "a dismissed that is no BOOL",
            ),
            (
                json!({"dismissed": {"N": "1"}}),
                "a dismissed that is no BOOL",
            ),
            (
                json!({"traits": {"M": {"plan": {"L": []}, "seats": {"NULL": true}}}}),
                "",
            ),
            (json!({"traits": {"NULL": true}}), ""),
            (json!({"traits": {"S": "{}"}}), "traits that are no map"),
            (json!({"traits": {"L": []}}), "traits that are no map"),
            (
                json!({"traits": {"M": {"key": {"B": "YQ=="}}}}),
                "a binary trait",
            ),
            (json!({"userId": {"S": "007"}}), ""),
            (json!({"userId": {"NULL": true}}), ""),
            (json!({"userId": {"N": "7"}}), "a userId that is no string"),
            (json!({"userId": {"S": ""}}), "a userId that is no string"),
            (
                json!({"userId": {"S": "x".repeat(1_025)}}),
                "a userId that is no string",
            ),
            (
                json!({"rating": {"N": "9"}, "dismissed": {"BOOL": false}}),
                "",
            ),
            (
                json!({"rating": {"N": "9"}, "dismissed": {"BOOL": true}}),
                "note: a rating, and dismissed",
            ),
            (json!({"comment": {"S": "ignored"}}), ""),
        ],
    );
    // Without an id, no shard is the right one.
    let ids = [CREATED.to_owned(), format!("{CREATED}#")];
    let cases = ids.map(|text| (at(text), "no id of 1 to 999 bytes"));
    assert_found(Table::Responses, &response(), &cases);
}

#[test]
fn what_a_list_leaves_out_of_a_user_or_replaces_is_found() {
    let user = json!({"project": {"S": "acme"}, "userId": {"S": "007"}, "created": {"S": CREATED}});
    assert_found(
        Table::Users,
        &user,
        &[
            (json!({}), ""),
            (
                json!({"project": {"S": "a.b"}}),
                "a project that is no project's id",
            ),
            (json!({"id": {"N": "1"}}), "an id that is no string"),
            (
                json!({"created": {"S": "long ago"}}),
                "a created that is no instant",
            ),
            (
                json!({"created": {"N": "1769848200"}}),
                "a created that is no instant",
            ),
            (
                json!({"created": {"S": "2026-01-31"}}),
                "an instant in another form",
            ),
            (json!({"created": {"NULL": true}}), "note: no created"),
            (json!({"lastSeen": {"S": CREATED}}), ""),
            (
                json!({"lastSeen": {"S": ""}}),
                "a lastSeen that is no instant",
            ),
            (
                json!({"lastSeen": {"S": "2026-01-31T08:30:00Z"}}),
                "an instant in another form",
            ),
            (
                json!({"email": {"S": "a@example.com"}, "name": {"S": ""}}),
                "",
            ),
            (
                json!({"email": {"SS": ["a@example.com"]}}),
                "an email or name that is no string",
            ),
            (
                json!({"name": {"N": "1"}}),
                "an email or name that is no string",
            ),
            (json!({"unsubscribed": {"BOOL": true}}), ""),
            (
                json!({"unsubscribed": {"S": "true"}}),
                "an unsubscribed that is no BOOL",
            ),
            (json!({"traits": {"M": {}}}), ""),
            (json!({"traits": {"S": "{}"}}), "traits that are no map"),
        ],
    );
}

#[test]
fn a_credential_that_authorizes_less_than_it_seems_to_is_found() {
    let digest = "0123456789abcdef".repeat(4);
    let base = json!({"digest": {"S": digest}, "kind": {"S": "account"}, "username": {"S": "u"}, "projects": {"SS": ["acme"]}});
    assert_found(
        Table::Credentials,
        &base,
        &[
            (json!({}), ""),
            (
                json!({"kind": {"S": "read-key"}, "project": {"S": "acme"}}),
                "",
            ),
            (
                json!({"digest": {"S": digest.to_uppercase()}}),
                "a key that is no digest",
            ),
            (json!({"kind": {"S": "admin"}}), "an unknown kind"),
            (json!({"kind": {"S": "read-key"}}), "a damaged project"),
            (
                json!({"projects": {"L": [{"S": "acme"}]}}),
                "a damaged project",
            ),
            (json!({"username": {"NULL": true}}), "a damaged project"),
            (json!({"statistics": {"BOOL": true}}), ""),
        ],
    );
}

#[test]
fn an_item_has_each_finding_and_only_some_are_notes() {
    let attributes =
        json!({"rating": {"N": "9"}, "dismissed": {"BOOL": true}, "userId": {"N": "7"}});
    let found = found(Table::Responses, &item(response(), attributes));
    let notes: Vec<_> = found.iter().map(|finding| finding.is_note()).collect();
    assert_eq!(notes, [false, true]);
}
