//! Rows of named values, which every file gives; and from a row and options to a record, or why not.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use items::{RecordId, ResponseRecord, Traits, UserFacts};
use model::{Outcome, Rating, Timestamp, UserId};
use serde_json::value::RawValue;

use crate::json_object::{AtPath, JsonObject, elements, scalar};
use crate::names::is_plain_rating_name;
use crate::pages::Pages;
use crate::reason::{Reason, quoted};
use crate::rules::{
    Field, ImportRules, Mapping, RecordKind, TRAITS, field_of, is_of_survey, kept_trait,
};
use crate::scores::rating;

/// The rows of a file.
pub(crate) trait Rows {
    /// Returns the next row, if there is one.
    ///
    /// # Errors
    ///
    /// Fails if the rest of the file cannot be divided into rows.
    fn next(&mut self) -> anyhow::Result<Option<Row<'_>>>;

    fn pages(&self) -> Pages {
        Pages::default()
    }
}

/// A record as it stands in its file.
pub(crate) struct Row<'a> {
    /// The line that it begins on.
    pub(crate) line: u64,
    /// The number of its page, in which equal records are counted from the first.
    pub(crate) list: i64,
    /// Its text in the file, on one line where possible.
    pub(crate) text: &'a [u8],
    /// Whether a line end follows it, where records are lines.
    pub(crate) is_ended: bool,
    /// What it holds, or the reason why it cannot be told.
    pub(crate) values: Result<Box<dyn Values + 'a>, Reason>,
}

/// The values of a row, which are found on demand.
pub(crate) trait Values {
    /// Returns what they say of the fields.
    ///
    /// # Errors
    ///
    /// Returns why that is no record.
    fn facts(&self, rules: &ImportRules) -> Result<Facts<'_>, Reason>;

    /// Returns the text of the column or path of this name, unless it is absent.
    fn text_at(&self, place: &str) -> Result<Option<Cow<'_, str>>, Reason>;

    /// Returns whether one of them says that they may be totals of others.
    fn may_be_totals(&self) -> bool {
        false
    }

    /// Returns whether a record that cannot be parsed is known to have no id.
    fn lacks_id(&self) -> bool;

    /// Returns the content of these columns or members, or of all if there are none. A member within a member is named
    /// by its path (`user.userId`). Records have the same content if they differ only in the order of their columns or
    /// members, or in spaces.
    fn content(&self, names: &[String]) -> Result<Vec<u8>, Reason>;

    /// Returns the members, if they are those of JSON, or why they cannot be parsed.
    fn members(&self) -> Option<&Result<JsonObject<'_>, Reason>> {
        None
    }
}

/// Says that a record has nothing in a column or member of `--id-from`.
pub(crate) fn lacks(name: &str) -> Reason {
    format!("it has no value in {} (--id-from)", quoted(name))
}

/// What a row says of the fields, as texts: cells of a table, or scalars of JSON.
#[derive(Default)]
pub(crate) struct Facts<'a> {
    /// The values of members that are there.
    texts: Vec<(&'static str, Cow<'a, str>)>,
    pub(crate) traits: Option<Traits>,
    /// The answers of a response record: its own, and what `--map` names as those with the rating.
    pub(crate) answers: [Option<&'a RawValue>; 2],
    /// The path of the members that describe the user.
    pub(crate) path_of_user: &'static str,
    /// The paths of the members that are not imported.
    pub(crate) ignored: Vec<String>,
}

impl<'a> Facts<'a> {
    /// Returns what a JSON object says: the values at the paths of the options, or else those of the fields' own
    /// members.
    ///
    /// # Errors
    ///
    /// Returns why that is no record.
    pub(crate) fn of_object(record: &JsonObject<'a>, rules: &ImportRules) -> Result<Self, Reason> {
        let kind = rules.kind;
        let mut found = Vec::new();
        for Mapping { field, place } in &rules.map {
            let field = field_of(kind, field).ok_or("unknown field")?;
            found.push((field, record.find(place)?));
        }
        let nested_user = match kind {
            RecordKind::Responses => record.object("user")?,
            RecordKind::Users => None,
        };
        let is_flat = nested_user.is_none();
        let user = nested_user.as_ref().unwrap_or(record);
        let mut facts = Self::default();
        if !is_flat {
            facts.path_of_user = "user.";
        }
        facts.answers = [record.get("answers"), None];
        let mut traits = user.object("traits")?;
        for (field, at) in &found {
            match (field, at.value()) {
                (Field::Member("rating"), _) => facts.answers = answers_of(record, at)?,
                (Field::Trait(name), Some(value)) => {
                    let own = traits.get_or_insert_default().set(name, value);
                    if is_other(own, value) {
                        facts.ignored.push(field.path(kind, is_flat));
                    }
                }
                _ => {}
            }
        }
        for path in &rules.keep {
            if let Some(value) = record.find(path)?.value() {
                scalar(&quoted(path), value)?;
                let name = kept_trait(path);
                let own = traits.get_or_insert_default().set(&name, value);
                if own.is_some_and(|own| own.get() != value.get()) {
                    facts.ignored.push(Field::Trait(name).path(kind, is_flat));
                }
            }
        }
        // An id that an option reads for another field, such as that of a customer, names no record.
        let is_id_elsewhere = |it: &Mapping| it.place == "id" && it.field != "id";
        let is_id_elsewhere = rules.map.iter().any(is_id_elsewhere);
        for member in kind.members() {
            let own = match *member {
                // Of a record without `user`, it says something else.
                "createdAt" if is_flat => None,
                "id" if kind == RecordKind::Responses && is_id_elsewhere => None,
                _ if kind.is_in_user(member) => user.get(member),
                _ => record.get(member),
            };
            let mut mapped = found.iter().filter(|(field, _)| field.is_member(member));
            let mapped = mapped.next().and_then(|(_, at)| at.value());
            if mapped.is_some_and(|mapped| is_other(own, mapped)) {
                let path = Field::Member(member).path(kind, is_flat);
                facts.ignored.push(path);
            }
            if let Some(value) = mapped.or(own) {
                let text = scalar(member, value)?;
                if text.is_empty() || !rules.is_null_of(&Field::Member(member), &text) {
                    facts.add(member, text);
                }
            }
        }
        if let Some(id) = nested_user.as_ref().and_then(|user| user.get("id")) {
            facts.add("user.id", scalar("id", id)?);
        }
        if let Some(traits) = traits {
            traits.check_values()?;
            if is_flat && kind == RecordKind::Responses && facts.has("userId") {
                facts.complete(&traits);
            }
            facts.traits = Some(traits.to_traits());
        }
        // The command line names the project, and a pending record is one without the others.
        let is_read = |name: &str| match name {
            "project" | "pending" => true,
            "traits" | "userId" | "email" | "name" => is_flat,
            "user" => !is_flat,
            _ => kind.members().contains(&name) && !kind.is_in_user(name),
        };
        let unread: Vec<_> = record.names().filter(|name| !is_read(name)).collect();
        if kind == RecordKind::Responses
            && !facts.has("rating")
            && !facts.has("dismissed")
            && record.value_of("rating").is_none()
            && let Some(name) = unread_rating(record, &unread, rules)
        {
            return Err(format!("it has no rating, but {}", quoted(name)));
        }
        facts.ignored.extend(unread.into_iter().map(str::to_owned));
        if let Some(user) = &nested_user {
            let is_read = |name: &str| ["id", "traits"].contains(&name) || kind.is_in_user(name);
            let unread = user.names().filter(|name| !is_read(name));
            let paths = unread.map(|name| format!("user.{name}"));
            facts.ignored.extend(paths);
        }
        Ok(facts)
    }

    /// Adds the address and the name that the traits of a user have, if the record has none.
    fn complete(&mut self, traits: &JsonObject<'a>) {
        for name in ["email", "name"] {
            let text = traits
                .get(name)
                .filter(|value| value.get().starts_with('"'));
            if let Some(Ok(text)) = text.map(|text| scalar(name, text))
                && !self.has(name)
            {
                self.add(name, text);
            }
        }
    }

    /// Adds the value of a member.
    pub(crate) fn add(&mut self, member: &'static str, text: Cow<'a, str>) {
        self.texts.push((member, text));
    }

    pub(crate) fn has(&self, member: &str) -> bool {
        self.texts.iter().any(|(name, _)| *name == member)
    }

    /// Returns the paths of the members that were not taken, which describe the user.
    fn remaining(&self) -> Vec<String> {
        let path = |name: &str| match name {
            "user.id" => name.to_owned(),
            _ => format!("{}{name}", self.path_of_user),
        };
        self.texts.iter().map(|(name, _)| path(name)).collect()
    }

    fn take(&mut self, member: &str) -> Option<Cow<'a, str>> {
        let at = self.texts.iter().position(|(name, _)| *name == member)?;
        Some(self.texts.swap_remove(at).1)
    }

    fn value<T: FromStr<Err: fmt::Display>>(&mut self, member: &str) -> Result<Option<T>, Reason> {
        let text = self.take(member);
        let parsed = text.map(|text| {
            let parsed = text.parse();
            parsed.map_err(|error| format!("{member} {error}, got {}", quoted(&text)))
        });
        parsed.transpose()
    }

    /// Takes an id, unless a spreadsheet has rounded it, as in `1.23457E+12`: then those of others look the same.
    fn id<T: FromStr<Err: fmt::Display>>(&mut self, member: &str) -> Result<Option<T>, Reason> {
        match self.texts.iter().find(|(name, _)| *name == member) {
            Some((_, text)) if is_rounded(text) => Err(format!(
                "{member} {} was rounded by a spreadsheet: take ids from a file in which they are whole",
                quoted(text)
            )),
            _ => self.value(member),
        }
    }

    fn instant(&mut self, member: &str, rules: &ImportRules) -> Result<Option<Timestamp>, Reason> {
        let colon = if rules.dates.forms.is_empty() {
            ""
        } else {
            ":"
        };
        let read = self.take(member).map(|text| rules.dates.read(&text));
        let instant = read.transpose();
        instant.map_err(|reason| format!("{member}{colon} {reason}"))
    }

    fn flag(&mut self, member: &str) -> Result<Option<bool>, Reason> {
        let flag = self.take(member).map(|text| match &*text.to_lowercase() {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(format!(
                "{member} must be true or false, got {}",
                quoted(&text)
            )),
        });
        flag.transpose()
    }

    /// Returns what became of a display. One that is answered but not rated is pending only if nothing could be its
    /// rating. `is_named` says that `--map` names the rating.
    fn outcome(
        &self,
        rating: Option<Rating>,
        dismissed: bool,
        is_named: bool,
    ) -> Result<Outcome, Unfit> {
        let is_explained = rating.is_some() || (is_named && dismissed);
        let mut answers = self.answers.iter().flatten();
        if is_explained || !answers.any(|answers| is_answered(answers)) {
            return Ok(Outcome::new(rating, dismissed));
        }
        Err(Unfit::Unrated(if is_named {
            "it has answers, but no rating where --map says"
        } else {
            "it has answers, but no rating: name its question with --map"
        }))
    }

    /// Takes the `userId`. An address in another place than `userId` names the same user in upper and lower case.
    /// The API accepts an id with a NUL, but no command line could erase that user.
    fn user_id(&mut self, rules: &ImportRules) -> Result<Option<UserId>, Reason> {
        if rules.folds_addresses()
            && let Some(text) = self.take("userId")
        {
            let is_address = text.contains('@');
            let folded = is_address.then(|| text.to_lowercase().into());
            self.add("userId", folded.unwrap_or(text));
        }
        let user_id: Option<UserId> = self.id("userId")?;
        match user_id {
            Some(id) if id.as_str().contains('\0') => Err("userId must not hold a NUL".to_owned()),
            user_id => Ok(user_id),
        }
    }
}

/// What a row says, once it is parsed.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    pub(crate) response: Option<ResponseRecord>,
    pub(crate) user: Option<UserFacts>,
    /// The paths of what is not imported.
    pub(crate) ignored: Vec<String>,
}

/// Why a record is rejected.
pub(crate) enum Unfit {
    /// It has answers, but no rating: a rating is never guessed.
    Unrated(&'static str),
    Other(Reason),
}

impl Unfit {
    pub(crate) fn reason(self) -> Reason {
        match self {
            Self::Unrated(reason) => reason.to_owned(),
            Self::Other(reason) => reason,
        }
    }
}

impl From<Reason> for Unfit {
    fn from(reason: Reason) -> Self {
        Self::Other(reason)
    }
}

impl From<&str> for Unfit {
    fn from(reason: &str) -> Self {
        Self::Other(reason.to_owned())
    }
}

/// Returns the record that these facts make by these rules. A response without an id of its own has the derived one,
/// and one without a `userId` makes no user.
///
/// # Errors
///
/// Returns why they make none.
pub(crate) fn record(
    mut facts: Facts<'_>,
    rules: &ImportRules,
    derived_id: Option<RecordId>,
) -> Result<Parsed, Unfit> {
    let (response, user) = match rules.kind {
        RecordKind::Responses => {
            let (response, user) = parse_response(&mut facts, rules, derived_id)?;
            (Some(response), user)
        }
        RecordKind::Users => (None, Some(parse_user(&mut facts, rules)?)),
    };
    Ok(Parsed {
        response,
        user,
        ignored: facts.ignored,
    })
}

fn parse_response(
    facts: &mut Facts<'_>,
    rules: &ImportRules,
    derived_id: Option<RecordId>,
) -> Result<(ResponseRecord, Option<UserFacts>), Unfit> {
    let instant = facts.instant("created", rules)?;
    let created = instant.or(rules.created).ok_or("created is missing")?;
    if created.plus_millis(1).is_none() {
        return Err(format!("created must be before {created}, which no period contains").into());
    }
    let written = facts.take("rating");
    let score = written.map(|text| rating(&text, rules.found.has_labels));
    let score = score.transpose()?;
    let dismissed = facts.flag("dismissed")?.unwrap_or(false);
    let id = facts.id("id")?.or(derived_id);
    let record = ResponseRecord {
        project: rules.project.clone(),
        id: id.ok_or("id is missing")?,
        created,
        outcome: facts.outcome(score, dismissed, rules.maps("rating"))?,
        user_id: facts.user_id(rules)?,
        traits: facts.traits.take(),
    };
    let of_user = facts.remaining();
    // Without a userId there is no user to keep the facts, which are checked nevertheless.
    let known_since = facts.instant("createdAt", rules)?;
    let id = facts.value("user.id")?;
    let email = facts.value("email")?;
    let name = facts.value("name")?;
    let user = record.user_id.clone().map(|user_id| UserFacts {
        id,
        user_id,
        last_seen: Some(created),
        created: Some(known_since.map_or(created, |since| since.min(created))),
        email,
        name,
        unsubscribed: None,
        traits: record.traits.as_ref().map(traits_of_user),
    });
    if user.is_none() {
        facts.ignored.extend(of_user);
    }
    Ok((record, user))
}

/// Parses a user, in the form in which `GET /api/users` returns it. Traits of a survey are not imported.
///
/// # Errors
///
/// Returns why it cannot be imported.
fn parse_user(facts: &mut Facts<'_>, rules: &ImportRules) -> Result<UserFacts, Reason> {
    let traits = facts.traits.iter().flat_map(Traits::names);
    let of_survey = traits.filter(|name| is_of_survey(name));
    let paths = of_survey.map(|name| format!("{TRAITS}{name}"));
    facts.ignored.extend(paths);
    let user_id = facts.user_id(rules)?;
    Ok(UserFacts {
        id: facts.value("id")?,
        user_id: user_id.ok_or("userId is missing")?,
        last_seen: facts.instant("lastSeen", rules)?,
        created: facts.instant("created", rules)?.or(rules.created),
        email: facts.value("email")?,
        name: facts.value("name")?,
        unsubscribed: facts.flag("unsubscribed")?,
        traits: facts.traits.as_ref().map(traits_of_user),
    })
}

/// Returns the traits that are facts of a user.
fn traits_of_user(traits: &Traits) -> Traits {
    let mut of_user = traits.clone();
    of_user.retain(|name| !is_of_survey(name));
    of_user
}

/// Returns whether these are answers: a list with one, or what is not a list and not empty.
fn is_answered(answers: &RawValue) -> bool {
    match elements(answers.get()) {
        Ok(elements) => elements
            .into_iter()
            .any(|element| answer(element).is_some()),
        Err(_) => has_members(answers),
    }
}

/// Returns whether what is not a list of answers may still have one.
pub(crate) fn has_members(answers: &RawValue) -> bool {
    JsonObject::parse(answers.get()).map_or(true, |members| members.names().next().is_some())
}

/// Returns the question of an answer, if it is known, and its value; `None` if nobody answered.
pub(crate) fn answer(element: &RawValue) -> Option<(Option<Cow<'_, str>>, Option<&RawValue>)> {
    let Ok(members) = JsonObject::parse(element.get()) else {
        return (element.get() != "null").then_some((None, None));
    };
    let ids = members.ids_of_question().unwrap_or_default();
    let id = ids.into_iter().next();
    let value = members.answered().filter(|value| value.get() != "null");
    // An object without a value still says that the question was answered.
    let is_answered = members.names().any(|name| name != "id");
    is_answered.then_some((id, value))
}

/// Returns the answers of a record, and the list or the object in which `--map` looks for its rating, unless that is
/// the same. Rejects a record that has none there but one of its own, which would get lost.
fn answers_of<'a>(
    record: &JsonObject<'a>,
    rating: &AtPath<'a>,
) -> Result<[Option<&'a RawValue>; 2], Reason> {
    if rating.value().is_none() && record.has("rating") {
        return Err("it has a rating, but none where --map says".to_owned());
    }
    let own = record.get("answers");
    let is_named = |parent: &&RawValue| own.is_none() || is_other(own, parent);
    Ok([own, rating.parent.filter(is_named)])
}

/// Returns the member of these that seems to be the rating of a record, which has none: where others have one, it would
/// count as a display that nobody answered.
fn unread_rating<'a>(
    record: &JsonObject<'_>,
    unread: &[&'a str],
    rules: &ImportRules,
) -> Option<&'a str> {
    let is_rating = |name: &&&str| {
        let text = record.get(name).and_then(|value| scalar(name, value).ok());
        is_plain_rating_name(name)
            && rules.share_of(name) == Some("")
            && text.is_some_and(|text| rating(&text, false).is_ok())
    };
    unread.iter().find(is_rating).copied()
}

/// Returns whether an id is a number in scientific notation with fewer digits than it had.
fn is_rounded(id: &str) -> bool {
    let is_number = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
    id.split_once("E+").is_some_and(|(digits, exponent)| {
        digits.contains(['.', ',']) && is_number(digits) && is_number(exponent)
    })
}

/// Returns whether there is a value of a field's own beside the one that an option names.
fn is_other(own: Option<&RawValue>, value: &RawValue) -> bool {
    own.is_some_and(|own| !std::ptr::eq(own, value))
}
