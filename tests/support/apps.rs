//! The handlers over stubs of the store, and calls of the project `p`, which these have.

use std::future::{pending, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use auth::Digest;
use aws_sdk_dynamodb::Client;
use chrono::{DateTime, Utc};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use items::TableNames;
use serde_json::{Value, json};
use service::error::Error;
use service::{App, Call, Finished, Host};
use store::Store;
use test_support::responses::{Responses, Usage};
use test_support::stub::{self, Answer, Recorder, Request};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::{client_of, credential};

/// Makes the state of the handlers over the store of this client.
pub(crate) fn app_with(client: &Client) -> App {
    App::new(Store::of_dynamodb(client, TableNames::default(), None))
}

/// Makes the state of the handlers over the store of this client, with the index `outcomes`.
pub(crate) fn indexed_app_with(client: &Client) -> App {
    let index = Some("outcomes".to_owned());
    App::new(Store::of_dynamodb(client, TableNames::default(), index))
}

/// Makes the state of the handlers over the store at this URL.
pub(crate) fn app_at(url: &str) -> App {
    app_with(&client_of(url))
}

/// A script: every secret is valid, and Queries are answered like this.
pub(crate) fn authenticated<A: Into<Answer>>(
    queries: impl Fn(&Value) -> A + Send + Sync + 'static,
) -> impl Fn(&Request) -> Answer + Send + Sync + 'static {
    move |request| match request.operation.as_str() {
        "GetItem" => credential(&request.input).into(),
        _ => queries(&request.input).into(),
    }
}

/// Starts a stub that records its requests. Every secret is valid, and Queries are answered like this.
pub(crate) fn recording_store<A: Into<Answer>>(
    queries: impl Fn(&Value) -> A + Send + Sync + 'static,
) -> Recorder {
    Recorder::start(authenticated(queries))
}

/// Makes the state of the handlers over a stub that records its requests.
pub(crate) fn recording_app<A: Into<Answer>>(
    queries: impl Fn(&Value) -> A + Send + Sync + 'static,
) -> (App, Recorder) {
    let store = recording_store(queries);
    (app_at(store.url()), store)
}

/// Makes the state of the handlers over a store in this process, which answers like this.
pub(crate) fn app_of_script(script: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> App {
    app_with(&stub::client(move |request| ready(script(&request))))
}

/// Makes the state of the handlers over a store in this process. Every secret is valid, and Queries are
/// answered like this.
pub(crate) fn app_over<A: Into<Answer>>(
    queries: impl Fn(&Value) -> A + Send + Sync + 'static,
) -> App {
    app_of_script(authenticated(queries))
}

/// Makes the state of the handlers over a project `p` without users and records.
pub(crate) fn empty_app() -> App {
    app_over(empty)
}

/// The answer to a Query: an empty page.
pub(crate) fn empty(_: &Value) -> Value {
    json!({"Items": [], "Count": 0})
}

/// The answer to a Query: the first page of a list, and a refusal of later ones, which the SDK does not
/// repeat.
pub(crate) fn fails_after_the_first_page(input: &Value) -> (u16, Value) {
    if input["ExclusiveStartKey"].is_null() {
        (200, page_of_users(&["a"], true))
    } else {
        (400, fault("AccessDeniedException"))
    }
}

/// The answer to a Query: the next page of a list that has no end, with one user.
pub(crate) fn endless(input: &Value) -> Value {
    let after = input["ExclusiveStartKey"]["userId"]["S"].as_str();
    let next = after.map_or(0, |after| after.parse::<u32>().unwrap()) + 1;
    page_of_users(&[&format!("{next:09}")], true)
}

/// Checks that a list has begun, and says that it is not complete.
pub(crate) fn assert_unclosed(list: &str) {
    let is_unclosed = list.starts_with(r#"{"users":[{"#) && !list.ends_with("]}");
    assert!(is_unclosed, "{list}");
}

/// Returns the item of a user of the project `p`, which is also its own key.
pub(crate) fn user_item(user_id: &str) -> Value {
    json!({"project": {"S": "p"}, "userId": {"S": user_id}})
}

/// Returns a page of users, after which there may be more.
pub(crate) fn page_of_users(ids: &[&str], has_more: bool) -> Value {
    let users: Vec<_> = ids.iter().map(|id| user_item(id)).collect();
    let mut page = json!({"Items": users, "Count": users.len()});
    if has_more {
        page["LastEvaluatedKey"] = json!(users.last());
    }
    page
}

/// Starts a store that authenticates every secret and never responds to a Query. Returns its URL, and
/// reports each Query.
pub(crate) fn silent_store() -> (String, UnboundedReceiver<()>) {
    let (sender, queries) = unbounded_channel();
    let url = stub::start(async move |request: Request| {
        if request.operation == "GetItem" {
            return credential(&request.input);
        }
        sender.send(()).unwrap_or_default();
        pending().await
    });
    (url, queries)
}

/// Returns the body with which DynamoDB reports this error.
pub(crate) fn fault(code: &str) -> Value {
    json!({"__type": format!("com.amazonaws.dynamodb.v20120810#{code}"), "message": "secret inner workings"})
}

/// Makes the call of a plain HTTP request without a body that arrives now.
pub(crate) fn call(request: http::request::Builder) -> Call {
    let (parts, ()) = request.body(()).unwrap().into_parts();
    Call::from_http(parts, service::now())
}

/// Makes the state of the handlers over these records of the project `p`, in the order of their instants.
pub(crate) fn app_of(records: &[(impl AsRef<str>, Value)]) -> App {
    let millis = |at: &str| at.parse::<DateTime<Utc>>().unwrap().timestamp_millis();
    let times = records.iter().map(|(at, _)| millis(at.as_ref())).collect();
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
    let stored = |(id, attributes): (String, Value)| {
        let mut item = user_item(&id);
        let members = item.as_object_mut().unwrap();
        members.extend(attributes.as_object().unwrap().clone());
        (id, item)
    };
    let users: Vec<_> = users.into_iter().map(stored).collect();
    app_over(move |input| {
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
            document["LastEvaluatedKey"] = user_item(id);
        }
        document
    })
}

/// A host that has no room for a request until it is freed.
#[derive(Default, Clone)]
pub(crate) struct FullHost {
    /// The megabytes that were asked for.
    pub(crate) megabytes: Arc<AtomicU32>,
    pub(crate) asked: Arc<Notify>,
    pub(crate) freed: Arc<Notify>,
}

impl Host for FullHost {
    fn take_room(&self, _: Digest, megabytes: u32) -> BoxFuture<'_, Result<(), Error>> {
        self.megabytes.store(megabytes, Ordering::SeqCst);
        self.asked.notify_one();
        self.freed.notified().map(Ok).boxed()
    }

    fn finished(&self, _: &Finished) {}
}
