//! Parses the fields of a record: what it says of a response and of a user.

use items::{RecordId, ResponseRecord, Traits, UserFacts};
use model::{Rating, UserId};

use crate::dates::Dates;
use crate::fields::Fields;
use crate::json_object::JsonObject;
use crate::questions::Questions;
use crate::reason::{Reason, quoted};
use crate::rules::{ImportRules, is_of_survey};

/// A parsed response record.
pub(crate) struct ParsedResponse {
    pub(crate) record: ResponseRecord,
    /// What it says about its user, if the user is known.
    pub(crate) user: Option<UserFacts>,
    /// The names of the members that are not imported.
    pub(crate) ignored: Vec<String>,
}

/// Parses a response record. One without an id of its own has the derived one.
///
/// # Errors
///
/// Returns why it cannot be imported. If that is because it is answered and has no rating, its questions are
/// noted.
pub(crate) fn parse_response(
    fields: Fields<'_>,
    rules: &ImportRules,
    derived_id: Option<RecordId>,
    questions: &mut Questions,
) -> Result<ParsedResponse, Reason> {
    let dates = rules.dates.as_ref();
    let Fields {
        record: mut members,
        mut user,
        is_flat,
        traits,
        answers,
        replaced,
    } = fields;
    let created = members
        .instant("created", dates)?
        .ok_or("created is missing")?;
    if created.plus_millis(1).is_none() {
        return Err(format!(
            "created must be before {created}, which no period contains"
        ));
    }
    let rating = match members.text("rating")? {
        Some(text) => Some(self::rating(&text)?),
        None => None,
    };
    let dismissed = members.flag("dismissed")?.unwrap_or(false);
    let id = members.value("id")?.or(derived_id);
    traits.as_ref().map_or(Ok(()), JsonObject::check_values)?;
    let record = ResponseRecord {
        project: rules.project.clone(),
        id: id.ok_or("id is missing")?,
        created,
        outcome: questions.outcome(rating, dismissed, answers)?,
        user_id: user_id(&mut user)?,
        traits: traits.as_ref().map(|traits| traits.to_traits(|_| true)),
    };
    // Without a userId there is no user to keep the facts, which are checked nevertheless.
    let lost = record.user_id.is_none().then(|| user.clone());
    if let Some(traits) = traits.as_ref().filter(|_| is_flat) {
        user.complete(traits, ["email", "name"]);
    }
    let facts = facts_of(&record, &mut user, traits.as_ref().map(of_user), dates)?;
    let rest_of_user = lost.unwrap_or(user);
    let path = if is_flat { "" } else { "user." };
    let ignored_of_user = rest_of_user.remaining().map(|name| format!("{path}{name}"));
    // The command line names the project, and a pending record is one without the others.
    let implied = ["project", "pending"];
    let of_record = members.remaining().filter(|name| !implied.contains(name));
    let ignored = of_record
        .map(str::to_owned)
        .chain(ignored_of_user)
        .chain(replaced);
    Ok(ParsedResponse {
        record,
        user: facts,
        ignored: ignored.collect(),
    })
}

/// Takes what a record says about its user.
fn facts_of(
    record: &ResponseRecord,
    user: &mut JsonObject<'_>,
    traits: Option<Traits>,
    dates: Option<&Dates>,
) -> Result<Option<UserFacts>, Reason> {
    let created = record.created;
    let known_since = user.instant("createdAt", dates)?;
    let id = user.value("id")?;
    let email = user.value("email")?;
    let name = user.value("name")?;
    Ok(record.user_id.clone().map(|user_id| UserFacts {
        id,
        user_id,
        last_seen: Some(created),
        created: Some(known_since.map_or(created, |since| since.min(created))),
        email,
        name,
        unsubscribed: None,
        traits,
    }))
}

/// Parses a user, in the form in which `GET /api/users` returns it, and the names of the members that
/// are not imported. `Err` is the reason why it cannot be imported.
pub(crate) fn parse_user(
    fields: Fields<'_>,
    dates: Option<&Dates>,
) -> Result<(UserFacts, Vec<String>), Reason> {
    let Fields {
        record: mut user,
        traits,
        replaced,
        ..
    } = fields;
    traits.as_ref().map_or(Ok(()), JsonObject::check_values)?;
    let user_id = user_id(&mut user)?;
    let facts = UserFacts {
        id: user.value("id")?,
        user_id: user_id.ok_or("userId is missing")?,
        last_seen: user.instant("lastSeen", dates)?,
        created: user.instant("created", dates)?,
        email: user.value("email")?,
        name: user.value("name")?,
        unsubscribed: user.flag("unsubscribed")?,
        traits: traits.as_ref().map(of_user),
    };
    let of_survey = traits
        .iter()
        .flat_map(JsonObject::remaining)
        .filter(|name| is_of_survey(name))
        .map(|name| format!("traits.{name}"));
    let of_record = user.remaining().filter(|name| *name != "project");
    let ignored = of_record.map(str::to_owned).chain(replaced);
    Ok((facts, ignored.chain(of_survey).collect()))
}

/// Returns the traits that are facts of a user.
fn of_user(traits: &JsonObject<'_>) -> Traits {
    traits.to_traits(|name| !is_of_survey(name))
}

/// Parses a rating.
pub(crate) fn rating(text: &str) -> Result<Rating, Reason> {
    // Tables in which some ratings are missing write the others as 9.0.
    let whole = text
        .split_once('.')
        .filter(|(_, zeros)| !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0'))
        .map_or(text, |(whole, _)| whole);
    // A sign would be parsed, too.
    let number = whole.parse::<u8>().ok().filter(|_| !whole.starts_with('+'));
    let rating = number.and_then(|rating| rating.try_into().ok());
    rating.ok_or_else(|| {
        format!(
            "rating must be a whole number from 0 to 10, got {}",
            quoted(text)
        )
    })
}

/// Takes the `userId`. The API accepts one with a NUL, but no command line could erase that user.
fn user_id(user: &mut JsonObject<'_>) -> Result<Option<UserId>, Reason> {
    let user_id: Option<UserId> = user.value("userId")?;
    match user_id {
        Some(id) if id.as_str().contains('\0') => Err("userId must not hold a NUL".to_owned()),
        user_id => Ok(user_id),
    }
}
