//! Parses a record of an export.

use std::str::FromStr;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::Value;
use serde_json::value::RawValue;
use shared::model::{Outcome, ProjectId, Rating, Timestamp, UserId};

use super::occurrences::Occurrences;
use crate::store::{ResponseRecord, Traits, UserFacts};

/// `SatisMeter`'s response record; other members are ignored.
#[derive(Deserialize)]
struct JsonResponse {
    id: Option<Text>,
    created: Option<Text>,
    rating: Option<Text>,
    dismissed: Option<Text>,
    user: Option<JsonUser>,
}

/// A user, either by itself or in a response record.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct JsonUser {
    id: Option<Text>,
    user_id: Option<Text>,
    name: Option<Text>,
    email: Option<Text>,
    created: Option<Text>,
    created_at: Option<Text>,
    last_seen: Option<Text>,
    unsubscribed: Option<Text>,
    traits: Option<Box<RawValue>>,
}

/// A string, or the text of a number or boolean: exports disagree about the type of identifiers.
struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        match raw.as_bytes() {
            [b'"', ..] => serde_json::from_str(raw)
                .map(Self)
                .map_err(D::Error::custom),
            [b'{' | b'[', ..] => Err(D::Error::custom("expected a string, number or boolean")),
            _ => Ok(Self(raw.to_owned())),
        }
    }
}

/// Parses a response record of the project, and the facts about its user. A record without an id gets
/// one that is derived from its content and the number of its occurrence in the file. `Err` is the
/// reason why it cannot be imported.
pub(crate) fn parse_response(
    json: &str,
    project: &ProjectId,
    occurrences: &mut Occurrences,
) -> Result<(ResponseRecord, Option<UserFacts>), String> {
    let JsonResponse {
        id,
        created,
        rating,
        dismissed,
        user,
    } = parse(json)?;
    let created: Timestamp = value("created", created)?.ok_or("created is missing")?;
    let rating = rating.map(|Text(text)| self::rating(&text)).transpose()?;
    let dismissed = flag("dismissed", dismissed)?.unwrap_or(false);
    let mut user = user.unwrap_or_default();
    let user_id: Option<UserId> = value("userId", user.user_id.take())?;
    let traits = user.traits.take().map(self::traits).transpose()?;
    let id = if let Some(id) = value("id", id)? {
        id
    } else {
        // Numbers may lose digits here; that does not matter for telling contents apart.
        let traits: Option<Value> = traits
            .as_ref()
            .and_then(|traits| serde_json::from_str(traits.as_json()).ok());
        let rating = rating.map(Rating::value);
        let content = (created, rating, dismissed, &user_id, traits);
        occurrences.id(&serde_json::to_vec(&content).map_err(reason)?)?
    };
    let record = ResponseRecord {
        project: project.clone(),
        id,
        created,
        outcome: Outcome::new(rating, dismissed),
        user_id,
        traits,
    };
    let facts = facts_of(&record, user)?;
    Ok((record, facts))
}

/// Returns what a record says about its user, if the user is known.
fn facts_of(record: &ResponseRecord, user: JsonUser) -> Result<Option<UserFacts>, String> {
    let known_since: Option<Timestamp> = value("createdAt", user.created_at)?;
    let created = record.created;
    Ok(record.user_id.clone().map(|user_id| UserFacts {
        id: user.id.map(|Text(id)| id),
        user_id,
        last_seen: Some(created),
        created: Some(known_since.map_or(created, |since| since.min(created))),
        email: user.email.map(|Text(email)| email),
        name: user.name.map(|Text(name)| name),
        unsubscribed: None,
        traits: record.traits.clone(),
        as_of: record.sort_key(),
    }))
}

/// Parses a user, in the form in which `GET /api/users` returns it. `Err` is the reason why it cannot
/// be imported.
pub(super) fn parse_user(json: &str) -> Result<UserFacts, String> {
    let user: JsonUser = parse(json)?;
    let last_seen = value("lastSeen", user.last_seen)?;
    let created = value("created", user.created)?;
    Ok(UserFacts {
        id: user.id.map(|Text(id)| id),
        user_id: value("userId", user.user_id)?.ok_or("userId is missing")?,
        last_seen,
        created,
        email: user.email.map(|Text(email)| email),
        name: user.name.map(|Text(name)| name),
        unsubscribed: flag("unsubscribed", user.unsubscribed)?,
        traits: user.traits.map(traits).transpose()?,
        as_of: UserFacts::as_of_list(last_seen.or(created).unwrap_or(Timestamp::EPOCH)),
    })
}

fn parse<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, String> {
    if !json.starts_with('{') {
        return Err("it is not a JSON object".to_owned());
    }
    serde_json::from_str(json).map_err(reason)
}

#[allow(clippy::needless_pass_by_value)] // what `map_err` asks for
fn reason(error: serde_json::Error) -> String {
    // The position within the line is of little use.
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    format!("it is not a record: {text}")
}

fn value<T: FromStr<Err: std::fmt::Display>>(
    name: &str,
    text: Option<Text>,
) -> Result<Option<T>, String> {
    let parse = |Text(text): Text| {
        text.parse()
            .map_err(|error| format!("{name} {error}, got {}", quoted(&text)))
    };
    text.map(parse).transpose()
}

fn rating(text: &str) -> Result<Rating, String> {
    // Tables in which some ratings are missing write the others as 9.0.
    let whole = text
        .split_once('.')
        .filter(|(_, zeros)| !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0'))
        .map_or(text, |(whole, _)| whole);
    let rating = whole
        .parse::<u8>()
        .ok()
        .and_then(|rating| rating.try_into().ok());
    rating.ok_or_else(|| {
        format!(
            "rating must be a whole number from 0 to 10, got {}",
            quoted(text)
        )
    })
}

fn flag(name: &str, text: Option<Text>) -> Result<Option<bool>, String> {
    text.map(|Text(text)| match text.to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(format!(
            "{name} must be true or false, got {}",
            quoted(&text)
        )),
    })
    .transpose()
}

fn traits(json: Box<RawValue>) -> Result<Traits, String> {
    Traits::from_json(json).ok_or_else(|| "traits must be an object".to_owned())
}

/// Returns the beginning of a text, quoted and on one line.
pub(super) fn quoted(text: &str) -> String {
    const MAX: usize = 60;
    let mut shown: String = text.chars().take(MAX).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("{shown:?}")
}
