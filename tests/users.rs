//! `GET /api/users` (contract, section 3), except its pages.

use aws_sdk_dynamodb::types::AttributeValue;

use crate::support::{Api, map, new_project, s};

#[tokio::test]
async fn a_user_has_the_form_of_the_contract() {
    let project = new_project().await;
    let created = s("2016-01-01T00:00:00.000Z");
    let traits = map(&[
        ("email", s("john@doe.com")),
        ("name", s("John Doe")),
        ("createdAt", created.clone()),
    ]);
    project
        .put_user(
            "007",
            &[
                ("id", s("5808e7031a943c7e564cdb17")),
                ("lastSeen", s("2016-12-01T00:00:00.000Z")),
                ("created", created),
                ("email", s("john@doe.com")),
                ("name", s("John Doe")),
                ("unsubscribed", AttributeValue::Bool(false)),
                ("traits", traits),
            ],
        )
        .await;
    let expected = format!(
        r#"{{"users":[{{"id":"5808e7031a943c7e564cdb17","project":"{}","userId":"007","lastSeen":"2016-12-01T00:00:00.000Z","created":"2016-01-01T00:00:00.000Z","email":"john@doe.com","name":"John Doe","unsubscribed":false,"traits":{{"createdAt":"2016-01-01T00:00:00.000Z","email":"john@doe.com","name":"John Doe"}}}}]}}"#,
        project.id
    );
    for query in ["", "&userId=007", "&limit=1", "&format=json"] {
        let reply = Api::shared().users(&project, query).await;
        assert_eq!(
            (reply.status.as_u16(), reply.text()),
            (200, expected.as_str()),
            "{query}"
        );
    }
}

#[tokio::test]
async fn users_are_in_ascending_byte_order_of_their_user_id() {
    let project = new_project().await;
    let sorted = [
        "",
        "!",
        "+1",
        "007",
        "10",
        "9",
        "A",
        "Z",
        "a b",
        "a/b",
        "z",
        "é",
        "\u{FFFD}",
        "\u{1F600}",
    ];
    for user_id in sorted.iter().rev().filter(|user_id| !user_id.is_empty()) {
        project.put_user(user_id, &[]).await;
    }
    assert_eq!(
        Api::shared().users(&project, "").await.user_ids(),
        sorted[1..]
    );
}

#[tokio::test]
async fn a_user_id_selects_exactly_the_user_that_has_it() {
    let project = new_project().await;
    let longest = "ü".repeat(512);
    let ids = [
        "john",
        "John",
        "john doe",
        "john+doe",
        "a%20b",
        "a/b?c=d&e",
        "é",
        "100%",
        &longest,
    ];
    for user_id in ids {
        project.put_user(user_id, &[]).await;
    }
    for (query, expected) in [
        ("userId=john", "john"),
        ("userId=John", "John"),
        ("userId=john+doe", "john doe"),
        ("userId=john%20doe", "john doe"),
        ("userId=john%2Bdoe", "john+doe"),
        ("userId=john%2bdoe", "john+doe"),
        ("userId=a%2520b", "a%20b"),
        ("userId=a/b?c=d%26e", "a/b?c=d&e"),
        ("&&userId=a/b?c%3Dd%26e&", "a/b?c=d&e"),
        ("user%49d=%c3%a9", "é"),
        ("userId=100%25", "100%"),
        ("userId=100%", "100%"),
        (&format!("userId={}", "%C3%BC".repeat(512)), &longest),
    ] {
        let reply = Api::shared().users(&project, &format!("&{query}")).await;
        assert_eq!(reply.user_ids(), [expected], "{query}");
    }
    for query in ["JOHN", "joh", "john%20", "unknown"] {
        let reply = Api::shared()
            .users(&project, &format!("&userId={query}"))
            .await;
        assert_eq!(
            (reply.status.as_u16(), reply.text()),
            (200, r#"{"users":[]}"#),
            "{query}"
        );
    }
}

#[tokio::test]
async fn a_project_without_users_has_an_empty_list() {
    let project = new_project().await;
    for query in ["", "&limit=10"] {
        let reply = Api::shared().users(&project, query).await;
        assert_eq!(
            (reply.status.as_u16(), reply.text()),
            (200, r#"{"users":[]}"#),
            "{query}"
        );
    }
}
