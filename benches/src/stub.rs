//! A store that costs next to nothing: it returns from memory what DynamoDB would return for a page of
//! stored items under the requested projection. It differs from `test_support::responses` because it renders
//! a page once and then sends the same bytes, so that the processor's time is the service's.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use auth::Secret;
use bytes::Bytes;
use serde_json::{Value, json};
use test_support::responses::projected;
use test_support::stub::{self, Answer, Request, credential_of};

use crate::records;

#[derive(Clone)]
struct Stub {
    /// The number of pages of each shard, and of the list of users.
    pages: usize,
    /// The size of the stored items of a page in bytes; DynamoDB's is 1 MB.
    page_size: usize,
    /// The time before the response to a query.
    delay: Duration,
    /// The `Items` of a page and their number, by table and projection.
    rendered: Arc<Mutex<HashMap<String, (Bytes, usize)>>>,
}

/// Prints the address and serves until the process is killed.
pub(crate) async fn serve(pages: usize, page_size: usize, delay: Duration) -> ! {
    let stub = Stub {
        pages,
        page_size,
        delay,
        rendered: Arc::default(),
    };
    let url = stub::start(
        async move |Request {
                        operation, input, ..
                    }| {
            if operation == "GetItem" {
                return credential(&input).checked();
            }
            // Even an empty sleep takes a millisecond.
            if !stub.delay.is_zero() {
                tokio::time::sleep(stub.delay).await;
            }
            Answer::new(stub.page(&input)).checked()
        },
    );
    println!("{url}");
    std::future::pending().await
}

/// Returns a credential of the project `acme`: that for users for its password, the Read Key for any
/// other secret.
fn credential(input: &Value) -> Answer {
    let account = Secret::new("bench-account-0000").map(|secret| secret.digest().to_string());
    let is_key = input["Key"]["digest"]["S"].as_str() != account.as_deref();
    let mut output = credential_of(input, "acme", is_key);
    output["ConsumedCapacity"] = json!({"TableName": "credentials", "CapacityUnits": 1.0});
    output.into()
}

impl Stub {
    /// Renders the page that the input requests.
    fn page(&self, input: &Value) -> Vec<u8> {
        let is_users = input["TableName"] == "users";
        let (items, count) = self.items(input, is_users);
        let range = if is_users { "userId" } else { "at" };
        // The key that a page starts after contains the number of the records before it.
        let last = input["ExclusiveStartKey"][range]["S"].as_str();
        let number = last.and_then(|key| usize::from_str_radix(key.rsplit('#').next()?, 16).ok());
        let page = number.map_or(0, |number| number / count);
        let mut text = br#"{"Items":"#.to_vec();
        text.extend_from_slice(&items);
        let units = if is_users { "256.0" } else { "128.5" };
        let tail = format!(
            r#","Count":{count},"ScannedCount":{count},"ConsumedCapacity":{{"TableName":"t","CapacityUnits":{units}}}"#
        );
        text.extend_from_slice(tail.as_bytes());
        if page + 1 < self.pages {
            let next = (page + 1) * count;
            let key = if is_users {
                json!({"project": {"S": "acme"}, "userId": {"S": format!("user#{next:024x}")}})
            } else {
                // The names of placeholders differ between clients.
                let values = input["ExpressionAttributeValues"].as_object();
                let shard = values.into_iter().flat_map(|values| values.values());
                let shard = shard.into_iter().find(|value| {
                    value["S"]
                        .as_str()
                        .is_some_and(|text| text.starts_with("acme#"))
                });
                // A page ends after the key that it begins after, though the pages are all the same and all of one time.
                json!({"shard": shard, "at": {"S": format!("2024-12-31T23:59:59.999Z#{next:024x}")}})
            };
            text.extend_from_slice(format!(r#","LastEvaluatedKey":{key}"#).as_bytes());
        }
        text.push(b'}');
        text
    }

    /// Returns the items of a page as JSON, and their number. They are rendered once.
    fn items(&self, input: &Value, is_users: bool) -> (Bytes, usize) {
        let projection = format!(
            "{}{}",
            input["ProjectionExpression"], input["ExpressionAttributeNames"]
        );
        let mut rendered = self.rendered.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = rendered.entry(format!("{is_users}{projection}"));
        entry
            .or_insert_with(|| {
                let one = if is_users {
                    records::user
                } else {
                    records::response
                };
                let mut stored = 0;
                let items: Vec<_> = (0..usize::MAX)
                    .map(one)
                    .take_while(|item| {
                        stored += records::size(item);
                        stored <= self.page_size
                    })
                    .map(|item| projected(&item, input))
                    .collect();
                let text = serde_json::to_vec(&items).unwrap_or_default();
                (text.into(), items.len())
            })
            .clone()
    }
}
