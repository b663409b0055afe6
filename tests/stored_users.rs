//! The JSON of a stored user, whatever its attributes hold (contract, section 3).

use serde_json::{Value, json};

use crate::support::{Operation, app_of_page, app_of_users, ask, ask_counting, sha256};

/// Returns a user who is stored with these attributes, and how many users were damaged.
async fn stored(attributes: Value) -> (Value, u64) {
    let app = app_of_users([("one".to_owned(), attributes)]);
    let (reply, [_, damaged]) = ask_counting(&app, Operation::Users, "").await;
    assert_eq!(reply.user_ids(), ["one"], "{reply:?}");
    (reply.json()["users"][0].clone(), damaged)
}

#[tokio::test]
async fn absent_null_and_damaged_members_are_omitted_or_have_their_defaults() {
    let id = &sha256("p\0one")[..24];
    let expected = json!({"id": id, "project": "p", "userId": "one", "created": "1970-01-01T00:00:00.000Z",
                          "unsubscribed": false, "traits": {}});
    let names = "id created lastSeen email name unsubscribed traits";
    let nulls: Value = names
        .split(' ')
        .map(|name| (name, json!({"NULL": true})))
        .collect();
    for (attributes, damaged) in [(json!({}), 1), (nulls, 1), (json!({"id": {"N": "1"}}), 1)] {
        assert_eq!(stored(attributes).await, (expected.clone(), damaged));
    }
}

#[tokio::test]
async fn a_damaged_attribute_is_omitted_or_has_its_default_and_is_counted() {
    let attributes = json!({
        "id": {"S": "an-id"}, "created": {"S": "2016-01-01T00:00:00.000Z"},
        "lastSeen": {"S": "2016-12-01T00:00:00.000Z"}, "email": {"S": "john@doe.com"},
        "name": {"S": "John Doe"}, "unsubscribed": {"BOOL": true}, "traits": {"M": {"plan": {"S": "pro"}}},
    });
    let whole = json!({"id": "an-id", "project": "p", "userId": "one", "lastSeen": "2016-12-01T00:00:00.000Z",
        "created": "2016-01-01T00:00:00.000Z", "email": "john@doe.com", "name": "John Doe",
        "unsubscribed": true, "traits": {"plan": "pro"}});
    let epoch = json!("1970-01-01T00:00:00.000Z");
    for (name, damaged, instead) in [
        ("created", json!({"N": "1"}), Some(epoch.clone())),
        ("created", json!({"S": "yesterday"}), Some(epoch)),
        ("unsubscribed", json!({"S": "true"}), Some(json!(false))),
        ("traits", json!({"S": "{}"}), Some(json!({}))),
        ("traits", json!({"L": []}), Some(json!({}))),
        // No store returns such a number, and the response would not be JSON.
        (
            "traits",
            json!({"M": {"plan": {"S": "pro"}, "seats": {"N": "1x"}}}),
            Some(json!({})),
        ),
        ("lastSeen", json!({"S": "never"}), None),
        ("email", json!({"N": "7"}), None),
        ("name", json!({"M": {}}), None),
    ] {
        let (mut attributes, mut expected) = (attributes.clone(), whole.clone());
        attributes[name] = damaged;
        match instead {
            Some(value) => expected[name] = value,
            None => drop(expected.as_object_mut().unwrap().remove(name)),
        }
        assert_eq!(stored(attributes).await, (expected, 1), "{name}");
    }
}

#[tokio::test]
async fn traits_are_returned_as_stored_in_the_order_of_their_names() {
    let traits = r#"{"strings":{"SS":["one"]},"small":{"N":"0.1234567890123456789012345678901234567"},
        "quote \" and \\":{"S":"line\nbreak \ud83d\ude00"},"numbers":{"NS":["3.14"]},"null":{"NULL":true},
        "nested":{"M":{"a":{"M":{"b":{"N":"-0.1"}}}}},
        "list":{"L":[{"N":"1"},{"S":"zwei"},{"NULL":true},{"L":[]}]},"false":{"BOOL":false},
        "binary":{"B":"AP9hYmM="},"binaries":{"BS":["AP8="]},"big":{"N":"12345678901234567890123456789012345678"}}"#;
    let page = format!(r#"{{"Items":[{{"userId":{{"S":"one"}},"traits":{{"M":{traits}}}}}]}}"#);
    let reply = ask(&app_of_page(&page), Operation::Users, "").await;
    let expected = r#""traits":{"big":12345678901234567890123456789012345678,"binaries":["AP8="],"binary":"AP9hYmM=","false":false,"list":[1,"zwei",null,[]],"nested":{"a":{"b":-0.1}},"null":null,"numbers":[3.14],"quote \" and \\":"line\nbreak 😀","small":0.1234567890123456789012345678901234567,"strings":["one"]}}]}"#;
    assert!(reply.text().ends_with(expected), "{}", reply.text());
}

#[tokio::test]
async fn timestamps_are_in_utc_with_milliseconds() {
    let attributes =
        json!({"created": {"S": "2016-01-01T02:00:00+02:00"}, "lastSeen": {"S": "2016-12-01"}});
    let (user, _) = stored(attributes).await;
    assert_eq!(user["created"], "2016-01-01T00:00:00.000Z");
    assert_eq!(user["lastSeen"], "2016-12-01T00:00:00.000Z");
}
