//! The statistics as Rust usually is when it must be fast: structs that serde derives and that borrow from the text
//! of a page. Requests are neither signed nor repeated, unlike those of the SDK.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::str::from_utf8;

use bytes::Bytes;
use futures_util::future::try_join_all;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::Failure;
use crate::tally::{Filters, Tally, projection};

/// A page of records. Members without a field are skipped, as `IgnoredAny`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Page<'a> {
    #[serde(borrow)]
    items: Vec<Record<'a>>,
    last_evaluated_key: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow)]
    rating: Option<Number<'a>>,
    dismissed: Option<Flag>,
    traits: Option<Traits<'a>>,
}

#[derive(Deserialize)]
struct Number<'a> {
    #[serde(rename = "N")]
    digits: &'a str,
}

#[derive(Deserialize)]
struct Flag {
    #[serde(rename = "BOOL")]
    is_set: bool,
}

#[derive(Deserialize)]
struct Traits<'a> {
    #[serde(rename = "M", borrow)]
    members: Members<'a>,
}

/// Traits in their order: a map would take longer to build than three names take to find.
struct Members<'a>(Vec<(&'a str, Trait<'a>)>);

/// Only texts are compared.
#[derive(Deserialize)]
struct Trait<'a> {
    #[serde(rename = "S", borrow)]
    text: Option<Text<'a>>,
}

/// A text, which is copied only if it has escape sequences.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Collect(PhantomData))
    }
}

struct Collect<'a>(PhantomData<&'a str>);

impl<'de: 'a, 'a> Visitor<'de> for Collect<'a> {
    type Value = Members<'a>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a map of traits")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'a>, A::Error> {
        let mut members = Vec::with_capacity(3);
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

/// Sends queries to a store.
pub(crate) struct Client {
    http: reqwest::Client,
    address: String,
}

impl Client {
    pub(crate) fn new(address: &str) -> Self {
        Self {
            http: reqwest::Client::new(),
            address: address.to_owned(),
        }
    }

    /// Returns the body of the page of a shard that begins after this key.
    async fn page(
        &self,
        shard: u8,
        filters: Filters<'_>,
        after: Option<&Value>,
    ) -> Result<Bytes, Failure> {
        let (paths, names) = projection(filters);
        let mut names: Map<_, _> = names
            .into_iter()
            .map(|(place, name)| (place, json!(name)))
            .collect();
        names.insert("#shard".to_owned(), json!("shard"));
        names.insert("#at".to_owned(), json!("at"));
        let input = json!({
            "TableName": "responses", "ProjectionExpression": paths, "ExpressionAttributeNames": names,
            "KeyConditionExpression": "#shard = :shard AND #at BETWEEN :start AND :end",
            "ExpressionAttributeValues": {
                ":shard": {"S": format!("acme#{shard:x}")},
                ":start": {"S": "2024-01-01"}, ":end": {"S": "2025-01-01"},
            },
            "ExclusiveStartKey": after, "ReturnConsumedCapacity": "TOTAL",
        });
        let request = self.http.post(&self.address).body(input.to_string());
        let response = request
            .header("X-Amz-Target", "DynamoDB_20120810.Query")
            .send()
            .await?;
        Ok(response.error_for_status()?.bytes().await?)
    }

    /// Computes the statistics of all shards; returns their attributes as JSON.
    pub(crate) async fn statistics(&self, filters: Filters<'_>) -> Result<String, Failure> {
        let shards = (0..16).map(async |shard| {
            let (mut tally, mut after) = (Tally::default(), None);
            loop {
                let text = self.page(shard, filters, after.as_ref()).await?;
                let page: Page = serde_json::from_str(from_utf8(&text)?)?;
                for record in &page.items {
                    record.count(filters, &mut tally)?;
                }
                match page.last_evaluated_key {
                    Some(key) => after = Some(serde_json::from_str(key.get())?),
                    None => return Ok::<_, Failure>(tally),
                }
            }
        });
        Ok(Tally::total(&try_join_all(shards).await?))
    }

    /// Parses a page a hundred times and discards the result. Returns the length of the page.
    pub(crate) async fn scan(&self, filters: Filters<'_>) -> Result<String, Failure> {
        let page = self.page(0, filters, None).await?;
        for _ in 0..100 {
            pass(&page)?;
        }
        Ok(page.len().to_string())
    }
}

impl Record<'_> {
    /// Counts the record if it matches the filters.
    fn count(&self, filters: Filters, tally: &mut Tally) -> Result<(), Failure> {
        let members = self
            .traits
            .as_ref()
            .map_or(&[][..], |traits| &traits.members.0);
        let passes = filters.iter().all(|(name, value)| {
            let member = members.iter().find(|(member, _)| member == name);
            let text = member.and_then(|(_, member)| member.text.as_ref());
            text.is_some_and(|text| text.0.contains(value))
        });
        if passes {
            let rating = self.rating.as_ref().map(|rating| rating.digits.parse());
            tally.count(
                rating.transpose()?,
                self.dismissed.as_ref().is_some_and(|flag| flag.is_set),
            );
        }
        Ok(())
    }
}

/// Parses the page once. It is not inlined, so that its callers do not affect how it is compiled.
#[inline(never)]
fn pass(page: &[u8]) -> serde_json::Result<()> {
    serde_json::from_slice(page).map(|IgnoredAny| ())
}
