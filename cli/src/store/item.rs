//! Items as they are written. They are checked for what DynamoDB would refuse, because a batch with
//! one such item fails as a whole.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::value::RawValue;
use shared::config::Tables;
use shared::model::{Credential, Decimal, Invalid, Outcome, ProjectId, Secret, Timestamp, UserId};

use super::attributes::Item;
use super::{ResponseRecord, Traits, UserFacts};

/// An item to be put, in the public item format (ARCHITECTURE.md).
#[derive(Debug)]
pub(crate) struct NewItem {
    pub(super) table: fn(&Tables) -> &String,
    pub(super) item: Item,
}

/// The item of a response record.
#[derive(Debug)]
pub(crate) struct ResponseItem {
    /// The values of `shard` and `at`.
    pub(super) key: [String; 2],
    pub(super) item: Item,
}

impl ResponseItem {
    /// Makes the item of this record. The id of the record determines the shard, so writing the
    /// record again replaces it.
    ///
    /// # Errors
    ///
    /// Refuses what DynamoDB would refuse.
    pub(crate) fn new(record: &ResponseRecord) -> Result<Self, Invalid> {
        let key = [record.shard_key(), record.sort_key()];
        let rating = record.outcome.rating();
        let rating = rating.map(|rating| AttributeValue::N(rating.value().to_string()));
        let dismissed =
            (record.outcome == Outcome::Dismissed).then_some(AttributeValue::Bool(true));
        let user_id = record.user_id.as_ref();
        let item = item([
            ("shard", text(&key[0])),
            ("at", text(&key[1])),
            ("userId", user_id.and_then(|id| text(id.as_str()))),
            ("rating", rating),
            ("dismissed", dismissed),
            ("traits", record.traits.as_ref().map(map).transpose()?),
        ]);
        check_size(&item)?;
        Ok(Self { key, item })
    }
}

impl From<ResponseItem> for NewItem {
    fn from(response: ResponseItem) -> Self {
        Self::response(response.item)
    }
}

impl NewItem {
    /// Makes the item of this user.
    ///
    /// # Errors
    ///
    /// Refuses what DynamoDB would refuse.
    pub(crate) fn user(project: &ProjectId, user: &UserFacts) -> Result<Self, Invalid> {
        let mut item = user_key(project, &user.user_id);
        item.extend(self::item(user_attributes(user)?));
        check_size(&item)?;
        Ok(Self::stored_user(item))
    }

    pub(super) fn stored_user(item: Item) -> Self {
        Self {
            table: |tables| &tables.users,
            item,
        }
    }

    pub(super) fn response(item: Item) -> Self {
        Self {
            table: |tables| &tables.responses,
            item,
        }
    }

    /// Makes the item of this credential, with the digest of the secret instead of the secret.
    pub(crate) fn credential(
        secret: &Secret,
        credential: &Credential,
        label: Option<&str>,
        created: Timestamp,
    ) -> Self {
        let (kind, project, username, projects) = match credential {
            Credential::ReadKey(key) => ("read-key", text(key.project.as_str()), None, None),
            Credential::Account(account) => {
                let projects = account.projects.iter().map(ToString::to_string).collect();
                (
                    "account",
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
                ("kind", text(kind)),
                ("project", project),
                ("username", username),
                ("projects", projects),
                ("label", label.and_then(text)),
                ("created", text(&created.to_string())),
            ]),
        }
    }
}

fn item(attributes: impl IntoIterator<Item = (&'static str, Option<AttributeValue>)>) -> Item {
    attributes
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect()
}

/// Checks that DynamoDB can store an item of this size.
pub(super) fn check_size(item: &Item) -> Result<(), Invalid> {
    const MAX: usize = 400 * 1024;
    if members_size(item) > MAX {
        return Err(Invalid("must not be larger than DynamoDB's 400 KB"));
    }
    Ok(())
}

/// Returns the key of a user.
pub(super) fn user_key(project: &ProjectId, user_id: &UserId) -> Item {
    item([
        ("project", text(project.as_str())),
        ("userId", text(user_id.as_str())),
    ])
}

/// Returns the attributes of a user, without the key.
pub(super) fn user_attributes(
    user: &UserFacts,
) -> Result<[(&'static str, Option<AttributeValue>); 8], Invalid> {
    let optional = |value: &Option<String>| value.as_deref().and_then(text);
    let instant = |at: Option<Timestamp>| at.and_then(|at| text(&at.to_string()));
    Ok([
        ("id", optional(&user.id)),
        ("created", instant(user.created)),
        ("lastSeen", instant(user.last_seen)),
        ("email", optional(&user.email)),
        ("name", optional(&user.name)),
        ("unsubscribed", user.unsubscribed.map(AttributeValue::Bool)),
        ("traits", user.traits.as_ref().map(map).transpose()?),
        ("asOf", text(&user.as_of)),
    ])
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
    let encoded = members.map(|(name, value)| match name {
        "" => Err(Invalid("must not have empty names")),
        _ => Ok((name.to_owned(), encode(value.get(), level + 1)?)),
    });
    Ok(AttributeValue::M(encoded.collect::<Result<_, Invalid>>()?))
}

/// Returns the size in bytes as DynamoDB counts it.
fn members_size(members: &Item) -> usize {
    members
        .iter()
        .map(|(name, value)| name.len() + size(value))
        .sum()
}

fn size(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(digits) => number_size(digits),
        AttributeValue::M(members) => 3 + members.len() + members_size(members),
        AttributeValue::L(list) => 3 + list.len() + list.iter().map(size).sum::<usize>(),
        AttributeValue::Ss(texts) => texts.iter().map(String::len).sum(),
        AttributeValue::Ns(numbers) => numbers.iter().map(|digits| number_size(digits)).sum(),
        AttributeValue::B(blob) => blob.as_ref().len(),
        AttributeValue::Bs(blobs) => blobs.iter().map(|blob| blob.as_ref().len()).sum(),
        _ => 1,
    }
}

/// Two digits take a byte. DynamoDB does not count zeros at the ends; this does.
fn number_size(digits: &str) -> usize {
    digits.len().div_ceil(2) + 2
}
