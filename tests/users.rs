//! `GET /api/users` (contract, section 3), except its pages.

use serde_json::json;

use crate::support::{Operation, app_of_users, ask, check};

#[tokio::test]
async fn a_user_has_the_form_of_the_contract() {
    let created = json!({"S": "2016-01-01T00:00:00.000Z"});
    let (email, name) = (json!({"S": "john@doe.com"}), json!({"S": "John Doe"}));
    let attributes = json!({
        "id": {"S": "5808e7031a943c7e564cdb17"}, "lastSeen": {"S": "2016-12-01T00:00:00.000Z"},
        "created": created, "email": email, "name": name, "unsubscribed": {"BOOL": false},
        "traits": {"M": {"email": email, "name": name, "createdAt": created}},
    });
    let app = app_of_users([("007".to_owned(), attributes)]);
    let user = r#"{"id":"5808e7031a943c7e564cdb17","project":"p","userId":"007","lastSeen":"2016-12-01T00:00:00.000Z","created":"2016-01-01T00:00:00.000Z","email":"john@doe.com","name":"John Doe","unsubscribed":false,"traits":{"createdAt":"2016-01-01T00:00:00.000Z","email":"john@doe.com","name":"John Doe"}}"#;
    let expected = format!(r#"{{"users":[{user}]}}"#);
    for query in ["", "userId=007", "limit=1", "format=json"] {
        let reply = ask(&app, Operation::Users, query).await;
        assert_eq!((reply.status.as_u16(), reply.text()), (200, &*expected));
    }
}

#[tokio::test]
async fn a_user_id_selects_exactly_the_user_that_has_it() {
    let longest = "ü".repeat(512);
    let ids = "john|John|john doe|john+doe|a%20b|a/b?c=d&e|é|100%".split('|');
    let ids = ids.chain([longest.as_str()]).map(str::to_owned);
    let app = app_of_users(ids.map(|id| (id, json!({}))));
    let table = "
        userId=john | john
        userId=John | John
        userId={john+doe john%20doe} | john doe
        userId={john%2Bdoe john%2bdoe} | john+doe
        userId=a%2520b | a%20b
        userId=a/b?c=d%26e | a/b?c=d&e
        &&userId=a/b?c%3Dd%26e& | a/b?c=d&e
        user%49d=%c3%a9 | é
        userId={100%25 100%} | 100%
        userId={JOHN joh john%20 unknown} | none
    ";
    check(&app, Operation::Users, table).await;
    let of_longest = format!("userId={} | {longest}", "%C3%BC".repeat(512));
    check(&app, Operation::Users, &of_longest).await;
}
