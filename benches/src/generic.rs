//! The usual way in Rust: the SDK decodes items into its own types, and serde encodes responses.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use futures_util::future::try_join_all;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::Failure;
use crate::tally::{Filters, Tally, projection};

type Item = HashMap<String, AttributeValue>;

/// Builds a client with the SDK's defaults, except for TLS, which the stub does not use.
pub(crate) fn client(address: &str) -> Client {
    let https = aws_smithy_http_client::Builder::new()
        .tls_provider(Provider::Rustls(CryptoMode::Ring))
        .build_https();
    Client::from_conf(config(address).http_client(https).build())
}

/// Returns the configuration that all clients share.
pub(crate) fn config(address: &str) -> aws_sdk_dynamodb::config::Builder {
    aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("us-east-1"))
        .credentials_provider(Credentials::new("a", "b", None, None, "bench"))
        .endpoint_url(address)
}

/// Builds the query of one shard, as the service does.
fn query(client: &Client, shard: u8, filters: Filters) -> QueryFluentBuilder {
    let (paths, names) = projection(filters);
    let query = client
        .query()
        .table_name("responses")
        .key_condition_expression("#shard = :shard AND #at BETWEEN :start AND :end")
        .projection_expression(paths)
        .expression_attribute_names("#shard", "shard")
        .expression_attribute_names("#at", "at")
        .expression_attribute_values(":shard", AttributeValue::S(format!("acme#{shard:x}")))
        .expression_attribute_values(":start", AttributeValue::S("2024-01-01".to_owned()))
        .expression_attribute_values(":end", AttributeValue::S("2025-01-01".to_owned()))
        .return_consumed_capacity(ReturnConsumedCapacity::Total);
    names.into_iter().fold(query, |query, (place, name)| {
        query.expression_attribute_names(place, name)
    })
}

/// Computes the statistics of all shards; returns their attributes as JSON.
pub(crate) async fn statistics(client: &Client, filters: Filters<'_>) -> Result<String, Failure> {
    let shards = (0..16).map(async |shard| {
        let mut pages = query(client, shard, filters).into_paginator().send();
        let mut tally = Tally::default();
        while let Some(page) = pages.next().await {
            for item in page?.items() {
                count(item, filters, &mut tally);
            }
        }
        Ok::<_, Failure>(tally)
    });
    Ok(Tally::total(&try_join_all(shards).await?))
}

/// Counts a record if it matches the filters.
fn count(item: &Item, filters: Filters, tally: &mut Tally) {
    let traits = item.get("traits").and_then(|traits| traits.as_m().ok());
    let passes = filters.iter().all(|(name, value)| {
        let text = traits.and_then(|traits| traits.get(*name)?.as_s().ok());
        text.is_some_and(|text| text.contains(value))
    });
    if passes {
        let rating = item
            .get("rating")
            .and_then(|rating| rating.as_n().ok()?.parse().ok());
        let dismissed = item
            .get("dismissed")
            .is_some_and(|flag| flag.as_bool() == Ok(&true));
        tally.count(rating, dismissed);
    }
}

/// A user of the response.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct User {
    id: String,
    project: String,
    user_id: String,
    last_seen: String,
    created: String,
    email: String,
    name: String,
    unsubscribed: bool,
    traits: Value,
}

/// Encodes all users; returns the length of the list in bytes.
pub(crate) async fn users(client: &Client) -> Result<String, Failure> {
    let mut pages = client
        .query()
        .table_name("users")
        .key_condition_expression("project = :project")
        .expression_attribute_values(":project", AttributeValue::S("acme".to_owned()))
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
        .into_paginator()
        .send();
    let mut length = br#"{"users":[]}"#.len();
    let mut separator = 0;
    while let Some(page) = pages.next().await {
        for item in page?.items.unwrap_or_default() {
            length += separator + serde_json::to_vec(&user(&item))?.len();
            separator = 1;
        }
    }
    Ok(length.to_string())
}

/// Converts an item to a user.
fn user(item: &Item) -> User {
    let text = |name: &str| {
        item.get(name)
            .and_then(|value| value.as_s().ok())
            .cloned()
            .unwrap_or_default()
    };
    User {
        id: text("id"),
        project: text("project"),
        user_id: text("userId"),
        last_seen: text("lastSeen"),
        created: text("created"),
        email: text("email"),
        name: text("name"),
        unsubscribed: item
            .get("unsubscribed")
            .is_some_and(|flag| flag.as_bool() == Ok(&true)),
        traits: item.get("traits").map(plain).unwrap_or_default(),
    }
}

/// Converts an attribute to plain JSON.
fn plain(value: &AttributeValue) -> Value {
    match value {
        AttributeValue::S(text) => Value::String(text.clone()),
        AttributeValue::N(digits) => serde_json::from_str(digits).unwrap_or_default(),
        AttributeValue::Bool(flag) => Value::Bool(*flag),
        AttributeValue::L(list) => list.iter().map(plain).collect(),
        AttributeValue::M(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), plain(value)))
            .collect::<Map<_, _>>()
            .into(),
        _ => Value::Null,
    }
}

/// Sends as many queries as a small request does, and decodes only what the SDK decodes; returns the
/// number of records found.
pub(crate) async fn calls(client: &Client, filters: Filters<'_>) -> Result<String, Failure> {
    let calls = (0..16).map(|shard| query(client, shard, filters).send());
    let found: i32 = try_join_all(calls)
        .await?
        .iter()
        .map(|page| page.count)
        .sum();
    Ok(found.to_string())
}
