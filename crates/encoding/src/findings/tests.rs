use model::items::Table;
use serde_json::{Map, Value, json};

use super::{Finding, findings};
use crate::members::ItemMembers;

fn found(table: Table, item: &Value) -> Vec<Finding> {
    findings(table, &ItemMembers::of_item(&item.to_string()).unwrap())
}

/// Checks a table whose lines have attributes, and the beginning of their only finding's text. The item has
/// these attributes, too, or in the place of its own. Attributes without a text lead to no finding.
#[track_caller]
fn assert_found(table: Table, item: &Value, cases: &str) {
    for line in cases.trim().lines().map(str::trim) {
        let (attributes, expected) = line.split_once(" =>").expect(line);
        let attributes: Map<String, Value> = serde_json::from_str(attributes).expect(line);
        let mut item = item.clone();
        item.as_object_mut().unwrap().extend(attributes);
        let found = found(table, &item);
        let is_expected = match (expected.trim(), &found[..]) {
            ("", found) => found.is_empty(),
            (text, found) => matches!(found, [only] if only.0.starts_with(text)),
        };
        assert!(is_expected, "{line}: {found:?}");
    }
}

fn response() -> Value {
    // The SHA-256 of the id begins with 8.
    json!({"shard": {"S": "acme#8"}, "at": {"S": "2026-01-31T08:30:00.000Z#5f0c"}})
}

#[test]
fn what_the_figures_leave_out_of_a_response_or_count_otherwise_is_found() {
    let cases = r##"
        {} =>
        {"shard": {"S": "acme#2"}} => not the shard of its id
        {"shard": {"S": "acme#g"}} => a shard that nothing reads
        {"shard": {"S": "acme#88"}} => a shard that nothing reads
        {"shard": {"S": "acme"}} => a shard that nothing reads
        {"shard": {"S": "a.b#8"}} => a shard that nothing reads
        {"at": {"S": "2026-01-31T08:30:00Z#5f0c"}} => an instant in another form
        {"at": {"S": "31.01.2026#5f0c"}} => no instant
        {"at": {"S": "#5f0c"}} => no instant
        {"at": {"S": "2026-01-31T08:30:00.000Z"}} => no id of 1 to 999 bytes
        {"at": {"S": "2026-01-31T08:30:00.000Z#"}} => no id of 1 to 999 bytes
        {"rating": {"N": "0"}} =>
        {"rating": {"N": "10"}} =>
        {"rating": {"NULL": true}} =>
        {"rating": {"N": "11"}} => a rating that is no whole N
        {"rating": {"N": "8.5"}} => a rating that is no whole N
        {"rating": {"N": "-1"}} => a rating that is no whole N
        {"rating": {"S": "9"}} => a rating that is no whole N
        {"rating": {"N": "9"}, "dismissed": {"BOOL": false}} =>
        {"rating": {"N": "9"}, "dismissed": {"BOOL": true}} => note: a rating, and dismissed
        {"dismissed": {"BOOL": true}} =>
        {"dismissed": {"S": "true"}} => a dismissed that is no BOOL
        {"dismissed": {"N": "1"}} => a dismissed that is no BOOL
        {"traits": {"M": {"plan": {"L": []}, "seats": {"NULL": true}}}} =>
        {"traits": {"NULL": true}} =>
        {"traits": {"S": "{}"}} => traits that are no map
        {"traits": {"L": []}} => traits that are no map
        {"traits": {"M": {"key": {"B": "YQ=="}}}} => a binary trait
        {"userId": {"S": "007"}} =>
        {"userId": {"NULL": true}} =>
        {"userId": {"N": "7"}} => a userId that is no string
        {"userId": {"S": ""}} => a userId that is no string
        {"userId": {"S": "TOO-LONG"}} => a userId that is no string
        {"comment": {"S": "ignored"}} =>
    "##;
    let cases = cases.replace("TOO-LONG", &"x".repeat(1_025));
    assert_found(Table::Responses, &response(), &cases);
}

#[test]
fn what_a_list_leaves_out_of_a_user_or_replaces_is_found() {
    let created = json!({"S": "2026-01-31T08:30:00.000Z"});
    let user = json!({"project": {"S": "acme"}, "userId": {"S": "007"}, "created": created});
    let cases = r#"
        {} =>
        {"project": {"S": "a.b"}} => a project that is no project's id
        {"id": {"N": "1"}} => an id that is no string
        {"created": {"S": "long ago"}} => a created that is no instant
        {"created": {"N": "1769848200"}} => a created that is no instant
        {"created": {"S": "2026-01-31"}} => an instant in another form
        {"created": {"NULL": true}} => note: no created
        {"lastSeen": {"S": "2026-01-31T08:30:00.000Z"}} =>
        {"lastSeen": {"S": ""}} => a lastSeen that is no instant
        {"lastSeen": {"S": "2026-01-31T08:30:00Z"}} => an instant in another form
        {"email": {"S": "a@example.com"}, "name": {"S": ""}} =>
        {"email": {"SS": ["a@example.com"]}} => an email or name that is no string
        {"name": {"N": "1"}} => an email or name that is no string
        {"unsubscribed": {"BOOL": true}} =>
        {"unsubscribed": {"S": "true"}} => an unsubscribed that is no BOOL
        {"traits": {"M": {}}} =>
        {"traits": {"S": "{}"}} => traits that are no map
    "#;
    assert_found(Table::Users, &user, cases);
}

#[test]
fn a_credential_that_authorizes_less_than_it_seems_to_is_found() {
    let digest = "0123456789abcdef".repeat(4);
    let credential = json!({"digest": {"S": digest}, "kind": {"S": "account"}, "username": {"S": "u"}, "projects": {"SS": ["acme"]}});
    let cases = r#"
        {} =>
        {"kind": {"S": "read-key"}, "project": {"S": "acme"}} =>
        {"digest": {"S": "UPPER-CASE"}} => a key that is no digest
        {"kind": {"S": "admin"}} => an unknown kind
        {"kind": {"S": "read-key"}} => a damaged project
        {"projects": {"L": [{"S": "acme"}]}} => a damaged project
        {"username": {"NULL": true}} => a damaged project
        {"statistics": {"BOOL": true}} =>
    "#;
    let cases = cases.replace("UPPER-CASE", &digest.to_uppercase());
    assert_found(Table::Credentials, &credential, &cases);
}
