//! Parses a record of an export.

use shared::items::{AsOf, RecordId, ResponseRecord, UserFacts};
use shared::model::{Outcome, ProjectId, Rating, Timestamp, UserId};

use super::Reason;
use super::dates::Dates;
use super::members::Members;
use super::reason::quoted;

/// A parsed response record.
pub struct ParsedResponse {
    /// The record.
    pub record: ResponseRecord,
    /// What it says about its user, if the user is known.
    pub user: Option<UserFacts>,
    /// The names of the members that are not imported.
    pub(super) ignored: Vec<String>,
}

/// Parses a response record of the project. One without an id of its own has the derived one, and `dates` is
/// how dates are written, unless they are exact.
///
/// # Errors
///
/// Returns why it cannot be imported.
pub fn parse_response(
    mut members: Members<'_>,
    project: &ProjectId,
    derived_id: Option<RecordId>,
    dates: Option<&Dates>,
) -> Result<ParsedResponse, Reason> {
    let created = members.instant("created", dates)?;
    let created = created.ok_or("created is missing")?;
    let rating = members.text("rating")?;
    let rating = rating.map(|text| self::rating(&text)).transpose()?;
    let dismissed = members.flag("dismissed")?.unwrap_or(false);
    let mut user = members.object("user")?;
    let id = members.value("id")?.or(derived_id);
    let record = ResponseRecord {
        project: project.clone(),
        id: id.ok_or("id is missing")?,
        created,
        outcome: Outcome::new(rating, dismissed),
        user_id: user_id(&mut user)?,
        traits: user.traits("traits")?,
    };
    // Without a userId there is no user to keep these.
    let known = ["id", "email", "name", "createdAt"];
    let facts_without_user = known.into_iter().filter(|name| user.has(name));
    let facts_without_user: Vec<_> = facts_without_user
        .map(|name| format!("user.{name}"))
        .collect();
    let facts = facts_of(&record, &mut user, dates)?;
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
        ignored,
    })
}

/// Returns whether the object is a user rather than a response record.
pub(super) fn is_user(members: &Members<'_>) -> bool {
    let of_response = ["user", "rating", "dismissed"];
    members.has("userId") && !of_response.iter().any(|name| members.has(name))
}

/// Takes what a record says about its user.
fn facts_of(
    record: &ResponseRecord,
    user: &mut Members<'_>,
    dates: Option<&Dates>,
) -> Result<Option<UserFacts>, Reason> {
    let created = record.created;
    let known_since = user.instant("createdAt", dates)?;
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
pub(super) fn parse_user(
    mut user: Members<'_>,
    dates: Option<&Dates>,
) -> Result<(UserFacts, Vec<String>), Reason> {
    let user_id = user_id(&mut user)?;
    let last_seen = user.instant("lastSeen", dates)?;
    let created = user.instant("created", dates)?;
    let facts = UserFacts {
        id: user.text("id")?,
        user_id: user_id.ok_or("userId is missing")?,
        last_seen,
        created,
        email: user.text("email")?,
        name: user.text("name")?,
        unsubscribed: user.flag("unsubscribed")?,
        traits: user.traits("traits")?,
        as_of: AsOf::list(last_seen.or(created).unwrap_or(Timestamp::EPOCH)),
    };
    let ignored = user.remaining().filter(|name| *name != "project");
    Ok((facts, ignored.map(str::to_owned).collect()))
}

fn rating(text: &str) -> Result<Rating, Reason> {
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

/// Takes the `userId`. The API accepts one with a NUL, but no command line could erase that user.
fn user_id(user: &mut Members<'_>) -> Result<Option<UserId>, Reason> {
    let user_id: Option<UserId> = user.value("userId")?;
    match user_id {
        Some(id) if id.as_str().contains('\0') => Err("userId must not hold a NUL".to_owned()),
        user_id => Ok(user_id),
    }
}
