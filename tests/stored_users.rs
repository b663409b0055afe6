//! The JSON of a stored user, whatever its attributes hold (contract, section 3).

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::support::{Api, Project, log_line, map, n, new_project, null, s, sha256};

/// Returns the only user of the project, and the id of the request.
async fn only_user(project: &Project) -> (Value, String) {
    let reply = Api::shared().users(project, "").await;
    assert_eq!(reply.user_ids().len(), 1, "{reply:?}");
    (
        reply.json()["users"][0].clone(),
        reply.request_id().to_owned(),
    )
}

#[tokio::test]
async fn absent_and_null_members_are_omitted_or_have_their_defaults() {
    let names = [
        "id",
        "created",
        "lastSeen",
        "email",
        "name",
        "unsubscribed",
        "traits",
    ];
    for attributes in [vec![], names.map(|name| (name, null())).to_vec()] {
        let project = new_project().await;
        project.put_user("anyone", &attributes).await;
        let (user, id) = only_user(&project).await;
        let digest = sha256(&format!("{}\0anyone", project.id));
        assert_eq!(
            user,
            json!({"id": digest[..24], "project": project.id, "userId": "anyone",
                   "created": "1970-01-01T00:00:00.000Z", "unsubscribed": false, "traits": {}})
        );
        assert_eq!(log_line(&id).await["skipped"], 0);
    }
}

#[tokio::test]
async fn a_damaged_id_has_its_default_and_is_counted_in_the_log() {
    let project = new_project().await;
    project.put_user("anyone", &[("id", n(1))]).await;
    let (user, id) = only_user(&project).await;
    let digest = sha256(&format!("{}\0anyone", project.id));
    assert_eq!(user["id"], digest[..24]);
    assert_eq!(log_line(&id).await["skipped"], 1);
}

#[tokio::test]
async fn a_damaged_attribute_is_omitted_or_has_its_default_and_is_counted_in_the_log() {
    let intact = [
        ("id", s("an-id")),
        ("created", s("2016-01-01T00:00:00.000Z")),
        ("lastSeen", s("2016-12-01T00:00:00.000Z")),
        ("email", s("john@doe.com")),
        ("name", s("John Doe")),
        ("unsubscribed", AttributeValue::Bool(true)),
        ("traits", map(&[("plan", s("pro"))])),
    ];
    let whole = |project: &Project| {
        json!({"id": "an-id", "project": project.id, "userId": "one", "lastSeen": "2016-12-01T00:00:00.000Z",
               "created": "2016-01-01T00:00:00.000Z", "email": "john@doe.com", "name": "John Doe", "unsubscribed": true,
               "traits": {"plan": "pro"}})
    };
    for (name, damaged, instead) in [
        ("created", n(1), Some(json!("1970-01-01T00:00:00.000Z"))),
        (
            "created",
            s("yesterday"),
            Some(json!("1970-01-01T00:00:00.000Z")),
        ),
        ("unsubscribed", s("true"), Some(json!(false))),
        ("traits", s("{}"), Some(json!({}))),
        ("traits", AttributeValue::L(vec![]), Some(json!({}))),
        ("lastSeen", s("never"), None),
        ("email", n(7), None),
        ("name", map(&[]), None),
    ] {
        let project = new_project().await;
        let attributes = intact
            .clone()
            .map(|(key, value)| (key, if key == name { damaged.clone() } else { value }));
        project.put_user("one", &attributes).await;
        let mut expected = whole(&project);
        match instead {
            Some(value) => expected[name] = value,
            None => drop(expected.as_object_mut().unwrap().remove(name)),
        }
        let (user, id) = only_user(&project).await;
        assert_eq!(user, expected, "{name} {damaged:?}");
        assert_eq!(log_line(&id).await["skipped"], 1, "{name} {damaged:?}");
    }
}

#[tokio::test]
async fn traits_are_returned_as_stored_in_the_order_of_their_names() {
    let project = new_project().await;
    let blob = |bytes: &[u8]| Blob::new(bytes);
    let traits = map(&[
        ("big", n("12345678901234567890123456789012345678")),
        ("binaries", AttributeValue::Bs(vec![blob(&[0, 255])])),
        ("binary", AttributeValue::B(blob(b"\x00\xffabc"))),
        ("false", AttributeValue::Bool(false)),
        (
            "list",
            AttributeValue::L(vec![n(1), s("zwei"), null(), AttributeValue::L(vec![])]),
        ),
        ("nested", map(&[("a", map(&[("b", n("-0.1"))]))])),
        ("null", null()),
        ("numbers", AttributeValue::Ns(vec!["3.14".to_owned()])),
        ("quote \" and \\", s("line\nbreak \u{1F600}")),
        ("small", n("0.1234567890123456789012345678901234567")),
        ("strings", AttributeValue::Ss(vec!["one".to_owned()])),
    ]);
    project.put_user("one", &[("traits", traits)]).await;
    let reply = Api::shared().users(&project, "").await;
    let expected = r#""traits":{"big":12345678901234567890123456789012345678,"binaries":["AP8="],"binary":"AP9hYmM=","false":false,"list":[1,"zwei",null,[]],"nested":{"a":{"b":-0.1}},"null":null,"numbers":[3.14],"quote \" and \\":"line\nbreak 😀","small":0.1234567890123456789012345678901234567,"strings":["one"]}}]}"#;
    assert!(reply.text().ends_with(expected), "{}", reply.text());
}

#[tokio::test]
async fn timestamps_are_in_utc_with_milliseconds() {
    let project = new_project().await;
    project
        .put_user(
            "one",
            &[
                ("created", s("2016-01-01T02:00:00+02:00")),
                ("lastSeen", s("2016-12-01")),
            ],
        )
        .await;
    let (user, _) = only_user(&project).await;
    assert_eq!(
        (&user["created"], &user["lastSeen"]),
        (
            &json!("2016-01-01T00:00:00.000Z"),
            &json!("2016-12-01T00:00:00.000Z")
        )
    );
}
