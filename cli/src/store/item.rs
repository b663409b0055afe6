//! Items as they are written. They are checked for what DynamoDB would refuse, because a batch with
//! one such item fails as a whole.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::value::RawValue;
use shared::config::Tables;
use shared::model::{Credential, Decimal, Invalid, Outcome, ProjectId, Secret, Timestamp, UserId};

use super::attributes::Item;
use super::merge::RESPONSES;
use super::size::check_size;
use super::{ResponseRecord, Traits, UserFacts};

/// An item to be put, in the public item format (ARCHITECTURE.md).
#[derive(Debug)]
pub(crate) struct NewItem {
    pub(super) table: fn(&Tables) -> &String,
    pub(super) item: Item,
}

/// The item of a response record.
#[derive(Debug)]
pub(crate) struct ResponseItem(pub(super) Item);

impl ResponseItem {
    /// Makes the item of this record. The id of the record determines the shard, so writing the
    /// record again replaces it.
    ///
    /// # Errors
    ///
    /// Refuses what DynamoDB would refuse.
    pub(crate) fn new(record: &ResponseRecord) -> Result<Self, Invalid> {
        let rating = record.outcome.rating();
        let rating = rating.map(|rating| AttributeValue::N(rating.value().to_string()));
        let dismissed =
            (record.outcome == Outcome::Dismissed).then_some(AttributeValue::Bool(true));
        let user_id = record.user_id.as_ref();
        let item = item([
            ("shard", text(&record.shard_key())),
            ("at", text(&record.sort_key())),
            ("userId", user_id.and_then(|id| text(id.as_str()))),
            ("rating", rating),
            ("dismissed", dismissed),
            ("traits", record.traits.as_ref().map(map).transpose()?),
        ]);
        check_size(&item)?;
        Ok(Self(item))
    }
}

impl From<ResponseItem> for NewItem {
    fn from(ResponseItem(item): ResponseItem) -> Self {
        let table = RESPONSES.table;
        Self { table, item }
    }
}

impl NewItem {
    /// Makes the item of this credential, with the digest of the secret instead of the secret.
    pub(crate) fn credential(
        secret: &Secret,
        credential: &Credential,
        label: Option<&str>,
        created: Timestamp,
    ) -> Self {
        let (project, username, projects) = match credential {
            Credential::ReadKey(key) => (text(key.project.as_str()), None, None),
            Credential::Account(account) => {
                let projects = account.projects.iter().map(ToString::to_string).collect();
                (
                    None,
                    text(&account.username),
                    Some(AttributeValue::Ss(projects)),
                )
            }
        };
        Self {
            table: |tables| &tables.credentials,
            item: item([
                ("digest", text(&secret.digest().to_string())),
                ("kind", text(&credential.kind().to_string())),
                ("project", project),
                ("username", username),
                ("projects", projects),
                ("label", label.and_then(text)),
                ("created", text(&created.to_string())),
            ]),
        }
    }
}

fn item<const N: usize>(attributes: [(&'static str, Option<AttributeValue>); N]) -> Item {
    let mut item = Item::with_capacity(N);
    let known = attributes.into_iter();
    item.extend(known.filter_map(|(name, value)| Some((name.to_owned(), value?))));
    item
}

/// Returns the key of a user.
pub(super) fn user_key(project: &ProjectId, user_id: &UserId) -> Item {
    item([
        ("project", text(project.as_str())),
        ("userId", text(user_id.as_str())),
    ])
}

impl UserFacts {
    /// Checks that DynamoDB can store them.
    pub(crate) fn check(&self, project: &ProjectId) -> Result<(), Invalid> {
        check_size(&user_item(project, self.clone())?)
    }
}

/// Returns what a record says of a user, as an item.
pub(super) fn user_item(project: &ProjectId, facts: UserFacts) -> Result<Item, Invalid> {
    let instant = |at: Option<Timestamp>| at.and_then(|at| text(&at.to_string()));
    Ok(item([
        ("project", text(project.as_str())),
        ("userId", text(facts.user_id.as_str())),
        ("id", facts.id.map(AttributeValue::S)),
        ("created", instant(facts.created)),
        ("lastSeen", instant(facts.last_seen)),
        ("email", facts.email.map(AttributeValue::S)),
        ("name", facts.name.map(AttributeValue::S)),
        ("unsubscribed", facts.unsubscribed.map(AttributeValue::Bool)),
        ("traits", facts.traits.as_ref().map(map).transpose()?),
        ("asOf", Some(facts.as_of.into())),
    ]))
}

#[allow(clippy::unnecessary_wraps)] // as `item` takes attributes
fn text(text: &str) -> Option<AttributeValue> {
    Some(AttributeValue::S(text.to_owned()))
}

fn map(traits: &Traits) -> Result<AttributeValue, Invalid> {
    encode_members(traits.iter(), 1)
}

/// Encodes JSON that is nested in `level - 1` maps or lists.
fn encode(json: &str, level: u32) -> Result<AttributeValue, Invalid> {
    const MAX_LEVEL: u32 = 31;
    const NOT_JSON: Invalid = Invalid("must be JSON");
    Ok(match json.as_bytes() {
        [b'{' | b'[', ..] if level > MAX_LEVEL => {
            return Err(Invalid("must not be nested deeper than 31 levels"));
        }
        [b'{', ..] => {
            let members: BTreeMap<String, &RawValue> =
                serde_json::from_str(json).map_err(|_| NOT_JSON)?;
            encode_members(
                members.iter().map(|(name, value)| (name.as_str(), *value)),
                level,
            )?
        }
        [b'[', ..] => {
            let values: Vec<&RawValue> = serde_json::from_str(json).map_err(|_| NOT_JSON)?;
            let encoded = values
                .into_iter()
                .map(|value| encode(value.get(), level + 1));
            AttributeValue::L(encoded.collect::<Result<_, _>>()?)
        }
        [b'"', ..] => AttributeValue::S(serde_json::from_str(json).map_err(|_| NOT_JSON)?),
        b"true" => AttributeValue::Bool(true),
        b"false" => AttributeValue::Bool(false),
        b"null" => AttributeValue::Null(true),
        _ => number(json)?,
    })
}

/// Encodes a JSON number as DynamoDB would return it, so that equal numbers are equal attributes.
fn number(json: &str) -> Result<AttributeValue, Invalid> {
    let number: Decimal = json.parse().map_err(|_| {
        Invalid(
            "must not hold numbers that DynamoDB cannot keep: at most 38 significant digits, and 0 or 1E-130 to 9.99E+125",
        )
    })?;
    Ok(AttributeValue::N(number.to_string()))
}

fn encode_members<'a>(
    members: impl Iterator<Item = (&'a str, &'a RawValue)>,
    level: u32,
) -> Result<AttributeValue, Invalid> {
    let mut encoded = Item::with_capacity(members.size_hint().0);
    for (name, value) in members {
        if name.is_empty() {
            return Err(Invalid("must not have empty names"));
        }
        encoded.insert(name.to_owned(), encode(value.get(), level + 1)?);
    }
    Ok(AttributeValue::M(encoded))
}
