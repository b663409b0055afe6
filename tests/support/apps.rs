//! The handlers over stores in this process.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use chrono::{DateTime, Utc};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use items::TableNames;
use model::Digest;
use serde_json::{Value, json};
use service::error::Error;
use service::log::Finished;
use service::{App, Host};
use store::Store;
use test_support::responses::{Responses, Usage};
use test_support::stub::{Answer, credential};
use test_support::{client_of, in_process};
use tokio::sync::Notify;

/// What a store responds with: a status and a body, given the operation's name, its input and the number of
/// requests before it.
pub(crate) trait Script:
    Fn(&str, &Value, usize) -> (u16, Value) + Clone + Send + Sync + 'static
{
}

impl<F: Fn(&str, &Value, usize) -> (u16, Value) + Clone + Send + Sync + 'static> Script for F {}

/// A script: every secret is valid, and every page is empty.
pub(crate) fn empty(operation: &str, input: &Value, _: usize) -> (u16, Value) {
    match operation {
        "GetItem" => (200, credential(input)),
        _ => (200, json!({"Items": [], "Count": 0})),
    }
}

/// Makes the state of the handlers over the store of this client.
pub(crate) fn app_with(client: &Client) -> App {
    App::new(Store::of_dynamodb(client, TableNames::default(), None))
}

/// Makes the state of the handlers over the store at this URL.
pub(crate) fn app_at(url: &str) -> App {
    app_with(&client_of(url))
}

/// Makes the state of the handlers over a store that does what the script says.
pub(crate) fn app_over(script: impl Script) -> App {
    let count = AtomicUsize::new(0);
    app_with(&in_process::client(move |operation, input| {
        let before = count.fetch_add(1, Ordering::SeqCst);
        ready(Answer::from(script(&operation, &input, before)))
    }))
}

/// Makes the state of the handlers over a project `p` without users and records.
pub(crate) fn empty_app() -> App {
    app_over(empty)
}

/// Makes the state of handlers that panic when they first use the store.
pub(crate) fn app_that_panics() -> App {
    app_over(|_, _, _| panic!("an unforeseen fault"))
}

/// Makes the state of the handlers over these records of the project `p`, in the order of their instants.
pub(crate) fn app_of(records: &[(&str, Value)]) -> App {
    let millis = |at: &str| at.parse::<DateTime<Utc>>().unwrap().timestamp_millis();
    let times = records.iter().map(|(at, _)| millis(at)).collect();
    let items = records
        .iter()
        .map(|(_, item)| item.as_object().unwrap().clone());
    let mut shards = [const { Vec::new() }; 16];
    shards[0] = times;
    let responses = Responses {
        project: "p".to_owned(),
        shards,
        items: items.collect(),
        size: 100,
        indexed_size: 100,
        latency: Duration::ZERO,
        units: None,
        usage: Usage::default(),
    };
    app_with(&Arc::new(responses).client())
}

/// Makes the state of the handlers over a record for each of these traits, on 1 March 2026, and one without.
pub(crate) fn app_of_traits(traits: impl IntoIterator<Item = Value>) -> App {
    let at = "2026-03-01T12:00:00Z";
    let rated = |traits: Value| (at, json!({"rating": {"N": "9"}, "traits": {"M": traits}}));
    let records = traits.into_iter().map(rated);
    let without = (at, json!({"rating": {"N": "9"}}));
    app_of(&records.chain([without]).collect::<Vec<_>>())
}

/// Makes the state of the handlers over users of the project `p` with these ids and attributes, in the order
/// of their ids.
pub(crate) fn app_of_users(users: impl IntoIterator<Item = (String, Value)>) -> App {
    let key = |id: &str| json!({"project": {"S": "p"}, "userId": {"S": id}});
    let users = users.into_iter().map(|(id, mut user)| {
        let attributes = user.as_object_mut().unwrap();
        attributes.extend(key(&id).as_object().unwrap().clone());
        (id, user)
    });
    let users: Vec<_> = users.collect();
    app_over(move |operation, input, _| {
        if operation == "GetItem" {
            return (200, credential(input));
        }
        let only = input["ExpressionAttributeValues"][":userId"]["S"].as_str();
        let after = input["ExclusiveStartKey"]["userId"]["S"].as_str();
        let limit = input["Limit"].as_u64().unwrap_or(u64::MAX);
        let asked = users.iter().filter(|(id, _)| {
            only.is_none_or(|only| id == only) && after.is_none_or(|after| id.as_str() > after)
        });
        let page: Vec<_> = asked.take(usize::try_from(limit).unwrap()).collect();
        let items: Vec<_> = page.iter().map(|(_, user)| user).collect();
        let mut document = json!({"Items": items});
        if let Some((id, _)) = page.last().filter(|_| items.len() as u64 == limit) {
            document["LastEvaluatedKey"] = key(id);
        }
        (200, document)
    })
}

/// A host that has no room for a request until it is freed.
#[derive(Default, Clone)]
pub(crate) struct FullHost {
    pub(crate) asked: Arc<Notify>,
    pub(crate) freed: Arc<Notify>,
}

impl Host for FullHost {
    fn take_room(&self, _: Digest) -> BoxFuture<'_, Result<(), Error>> {
        self.asked.notify_one();
        self.freed.notified().map(Ok).boxed()
    }

    fn finished(&self, _: &Finished) {}
}
