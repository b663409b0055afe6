//! Parses a record of an export.

use shared::model::{Outcome, ProjectId, Rating, Timestamp, UserId};

use super::members::Members;
use crate::store::{AsOf, RecordId, ResponseRecord, Traits, UserFacts};
use crate::text::quoted;

/// A parsed response record.
pub(crate) struct ParsedResponse {
    pub(crate) record: ResponseRecord,
    /// What the record says about its user, if the user is known.
    pub(crate) user: Option<UserFacts>,
    /// Whether the record had an id of its own.
    pub(super) has_id: bool,
    /// The names of the members that are not imported.
    pub(super) ignored: Vec<String>,
}

/// Parses a response record of the project; `derive_id` makes the id of a record that has none. `Err`
/// is the reason why it cannot be imported.
pub(crate) fn parse_response(
    json: &str,
    project: &ProjectId,
    derive_id: impl FnOnce() -> Result<RecordId, String>,
) -> Result<ParsedResponse, String> {
    let mut members = Members::parse(json)?;
    if members.has("userId")
        && !["user", "rating", "dismissed"]
            .iter()
            .any(|name| members.has(name))
    {
        return Err("it is a user: use feedback import users".to_owned());
    }
    let created: Timestamp = members.value("created")?.ok_or("created is missing")?;
    let rating = members.text("rating")?;
    let rating = rating.map(|text| self::rating(&text)).transpose()?;
    let dismissed = members.flag("dismissed")?.unwrap_or(false);
    let mut user = members.object("user")?;
    let id = members.value("id")?;
    let has_id = id.is_some();
    let record = ResponseRecord {
        project: project.clone(),
        id: id.map_or_else(derive_id, Ok)?,
        created,
        outcome: Outcome::new(rating, dismissed),
        user_id: user.value("userId")?,
        traits: traits(&mut user)?,
    };
    // Without a userId there is no user to keep these.
    let known = ["id", "email", "name", "createdAt"];
    let facts_without_user = known.into_iter().filter(|name| user.has(name));
    let facts_without_user: Vec<_> = facts_without_user
        .map(|name| format!("user.{name}"))
        .collect();
    let facts = facts_of(&record, &mut user)?;
    // The command line names the project, and a pending record is one without the others.
    let implied = ["project", "pending"];
    let of_record = members.remaining().filter(|name| !implied.contains(name));
    let ignored = of_record.map(str::to_owned);
    let ignored = ignored.chain(user.remaining().map(|name| format!("user.{name}")));
    let mut ignored: Vec<_> = ignored.collect();
    if facts.is_none() {
        ignored.extend(facts_without_user);
    }
    Ok(ParsedResponse {
        record,
        user: facts,
        has_id,
        ignored,
    })
}

/// Takes what a record says about its user.
fn facts_of(record: &ResponseRecord, user: &mut Members<'_>) -> Result<Option<UserFacts>, String> {
    let created = record.created;
    let known_since: Option<Timestamp> = user.value("createdAt")?;
    let (id, email, name) = (user.text("id")?, user.text("email")?, user.text("name")?);
    Ok(record.user_id.clone().map(|user_id| UserFacts {
        id,
        user_id,
        last_seen: Some(created),
        created: Some(known_since.map_or(created, |since| since.min(created))),
        email,
        name,
        unsubscribed: None,
        traits: record.traits.clone(),
        as_of: AsOf::record(record),
    }))
}

/// Parses a user, in the form in which `GET /api/users` returns it, and the names of the members that
/// are not imported. `Err` is the reason why it cannot be imported.
pub(super) fn parse_user(json: &str) -> Result<(UserFacts, Vec<String>), String> {
    let mut user = Members::parse(json)?;
    let user_id: Option<UserId> = user.value("userId")?;
    let last_seen = user.value("lastSeen")?;
    let created = user.value("created")?;
    let facts = UserFacts {
        id: user.text("id")?,
        user_id: user_id.ok_or("userId is missing")?,
        last_seen,
        created,
        email: user.text("email")?,
        name: user.text("name")?,
        unsubscribed: user.flag("unsubscribed")?,
        traits: traits(&mut user)?,
        as_of: AsOf::list(last_seen.or(created).unwrap_or(Timestamp::EPOCH)),
    };
    let ignored = user.remaining().filter(|name| *name != "project");
    Ok((facts, ignored.map(str::to_owned).collect()))
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

fn traits(user: &mut Members<'_>) -> Result<Option<Traits>, String> {
    let Some(value) = user.take("traits") else {
        return Ok(None);
    };
    Traits::from_json(value)
        .map(Some)
        .ok_or_else(|| "traits must be an object".to_owned())
}
