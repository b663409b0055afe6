//! Items as they are written, checked for what DynamoDB would refuse: a batch with one such item
//! fails whole.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::value::RawValue;

use super::attributes::Item;
use crate::config::Tables;
use crate::model::{
    Credential, Invalid, Outcome, ProjectId, ResponseRecord, Secret, Timestamp, Traits, UserFacts,
    canonical_number,
};

/// An item to be put, in the public item format (ARCHITECTURE.md).
#[derive(Debug)]
pub struct NewItem {
    pub(super) table: fn(&Tables) -> &String,
    pub(super) item: Item,
}

impl NewItem {
    fn new(
        table: fn(&Tables) -> &String,
        attributes: impl IntoIterator<Item = (&'static str, Option<AttributeValue>)>,
    ) -> Self {
        let item = attributes
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .collect();
        Self { table, item }
    }

    /// The item of this user.
    ///
    /// # Errors
    ///
    /// What DynamoDB would refuse.
    pub fn user(project: &ProjectId, user: &UserFacts) -> Result<Self, Invalid> {
        let key = [
            ("project", text(project.as_str())),
            ("userId", text(user.user_id.as_str())),
        ];
        Self::new(
            |tables| &tables.users,
            key.into_iter().chain(user_attributes(user)?),
        )
        .of_possible_size()
    }

    /// The item of this record. Its id fixes the shard, so writing a record again replaces it.
    ///
    /// # Errors
    ///
    /// What DynamoDB would refuse.
    pub fn response(record: &ResponseRecord) -> Result<Self, Invalid> {
        let rating = record.outcome.rating();
        let rating = rating.map(|rating| AttributeValue::N(rating.value().to_string()));
        let dismissed =
            (record.outcome == Outcome::Dismissed).then_some(AttributeValue::Bool(true));
        let user_id = record.user_id.as_ref();
        Self::new(
            |tables| &tables.responses,
            [
                ("shard", text(&record.shard_key())),
                ("at", text(&record.sort_key())),
                ("userId", user_id.and_then(|id| text(id.as_str()))),
                ("rating", rating),
                ("dismissed", dismissed),
                ("traits", record.traits.as_ref().map(map).transpose()?),
            ],
        )
        .of_possible_size()
    }

    /// The item of what this secret opens; of the secret itself only the digest.
    pub fn credential(
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
        Self::new(
            |tables| &tables.credentials,
            [
                ("digest", text(&secret.digest().to_string())),
                ("kind", text(kind)),
                ("project", project),
                ("username", username),
                ("projects", projects),
                ("label", label.and_then(text)),
                ("created", text(&created.to_string())),
            ],
        )
    }

    fn of_possible_size(self) -> Result<Self, Invalid> {
        const LARGEST: usize = 400 * 1024;
        if members_size(&self.item) > LARGEST {
            return Err(Invalid("must not be larger than DynamoDB's 400 KB"));
        }
        Ok(self)
    }
}

/// The attributes of a user beside the key.
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

#[allow(clippy::unnecessary_wraps)] // an attribute that is there
fn text(text: &str) -> Option<AttributeValue> {
    Some(AttributeValue::S(text.to_owned()))
}

fn map(traits: &Traits) -> Result<AttributeValue, Invalid> {
    encode(traits.as_json(), 1)
}

/// The attribute that holds this JSON, which is wrapped in `level - 1` maps or lists.
fn encode(json: &str, level: u32) -> Result<AttributeValue, Invalid> {
    const DEEPEST: u32 = 31;
    const NOT_JSON: Invalid = Invalid("must be JSON");
    Ok(match json.as_bytes() {
        [b'{' | b'[', ..] if level > DEEPEST => {
            return Err(Invalid("must not be nested deeper than 31 levels"));
        }
        [b'{', ..] => {
            let members: BTreeMap<String, &RawValue> =
                serde_json::from_str(json).map_err(|_| NOT_JSON)?;
            if members.contains_key("") {
                return Err(Invalid("must not have empty names"));
            }
            let encoded = members
                .into_iter()
                .map(|(name, value)| Ok((name, encode(value.get(), level + 1)?)));
            AttributeValue::M(encoded.collect::<Result<_, Invalid>>()?)
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
        _ => AttributeValue::N(canonical_number(json)?),
    })
}

/// As DynamoDB counts the size of an item.
fn members_size(members: &Item) -> usize {
    members
        .iter()
        .map(|(name, value)| name.len() + size(value))
        .sum()
}

fn size(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        // Two digits a byte; zeros at the ends cost nothing, but count here.
        AttributeValue::N(digits) => digits.len().div_ceil(2) + 2,
        AttributeValue::M(members) => 3 + members.len() + members_size(members),
        AttributeValue::L(list) => 3 + list.len() + list.iter().map(size).sum::<usize>(),
        _ => 1,
    }
}
