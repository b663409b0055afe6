//! A page's JSON: the records, and what stands around them.

use std::fmt;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Deserialize;
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::super::attributes::Item;
use super::{Text, Value};

/// What takes the records of a page.
pub(in crate::store) trait Records {
    /// Takes one record, attribute by attribute, in any order. `Err` is malformed JSON; what is
    /// wrong with a record is for it to count.
    fn take<'de, A: MapAccess<'de>>(&mut self, attributes: A) -> Result<(), A::Error>;
}

/// What stands around the records.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) records: usize,
    pub(super) capacity_units: f64,
    /// Where the next page begins.
    pub(super) last_key: Option<Item>,
}

/// Reads a page; `None` when it is malformed.
pub(super) fn read<R: Records>(body: &[u8], records: &mut R) -> Option<Page> {
    // Checked once as a whole, not string by string.
    let text = std::str::from_utf8(body).ok()?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let page = deserializer.deserialize_map(Document(records)).ok()?;
    deserializer.end().ok()?;
    Some(page)
}

struct Document<'a, R>(&'a mut R);

impl<'de, R: Records> Visitor<'de> for Document<'_, R> {
    type Value = Page;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a page")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Page, A::Error> {
        let mut page = Page::default();
        let mut whole = false;
        while let Some(name) = members.next_key::<Text<'de>>()? {
            match &*name {
                "Items" => {
                    page.records += members.next_value_seed(Items(&mut *self.0))?;
                    whole = true;
                }
                "ConsumedCapacity" => {
                    let consumed: Option<Consumed> = members.next_value()?;
                    page.capacity_units = consumed.unwrap_or_default().units;
                }
                "LastEvaluatedKey" => {
                    let key: Option<Key> = members.next_value()?;
                    page.last_key = key.map(|Key(key)| key);
                }
                _ => drop(members.next_value::<IgnoredAny>()?),
            }
        }
        if whole {
            Ok(page)
        } else {
            Err(A::Error::missing_field("Items"))
        }
    }
}

#[derive(Deserialize, Default)]
struct Consumed {
    #[serde(rename = "CapacityUnits", default)]
    units: f64,
}

/// A key of our tables: strings throughout.
struct Key(Item);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let attributes: std::collections::HashMap<String, Value<'de>> =
            Deserialize::deserialize(deserializer)?;
        let strings = attributes.into_iter().map(|(name, value)| {
            let text = value.string().ok_or("a key that is no string")?;
            Ok((name, AttributeValue::S(text.0.into_owned())))
        });
        strings
            .collect::<Result<_, &str>>()
            .map(Self)
            .map_err(D::Error::custom)
    }
}

struct Items<'a, R>(&'a mut R);

impl<'de, R: Records> DeserializeSeed<'de> for Items<'_, R> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, R: Records> Visitor<'de> for Items<'_, R> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<usize, A::Error> {
        let mut count = 0;
        while items.next_element_seed(OneItem(&mut *self.0))?.is_some() {
            count += 1;
        }
        Ok(count)
    }
}

struct OneItem<'a, R>(&'a mut R);

impl<'de, R: Records> DeserializeSeed<'de> for OneItem<'_, R> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, R: Records> Visitor<'de> for OneItem<'_, R> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an item")
    }

    fn visit_map<A: MapAccess<'de>>(self, attributes: A) -> Result<(), A::Error> {
        self.0.take(attributes)
    }
}
