//! Parses the values of a record: what it says of a response and of a user.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use items::{RecordId, ResponseRecord, Traits, UserFacts};
use model::{Outcome, Rating, Timestamp, UserId};
use serde_json::value::RawValue;

use crate::reason::{Reason, quoted};
use crate::rules::{ImportRules, TRAITS, is_of_survey};
use crate::scores::rating;

/// What a record says, as texts: the cells of a row, or scalars of JSON.
#[derive(Default)]
pub(crate) struct RecordValues<'a> {
    /// The values of members that are there.
    texts: Vec<(&'static str, Cow<'a, str>)>,
    pub(crate) traits: Option<Traits>,
    /// The answers of a response record: its own, and what `--map` names as those with the rating.
    pub(crate) answers: [Option<&'a RawValue>; 2],
    /// The path of the members that describe the user.
    pub(crate) path_of_user: &'static str,
    /// The paths of the members that are not imported.
    pub(crate) ignored: Vec<String>,
    /// The names of the traits that have a text where the others have numbers or booleans.
    pub(crate) untyped: Vec<&'a str>,
}

impl<'a> RecordValues<'a> {
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

    fn instant(&mut self, member: &str, rules: &ImportRules) -> Result<Option<Timestamp>, Reason> {
        let Some(text) = self.take(member) else {
            return Ok(None);
        };
        let colon = if rules.dates.forms.is_empty() {
            ""
        } else {
            ":"
        };
        let read = rules.dates.read(&text);
        read.map(Some)
            .map_err(|reason| format!("{member}{colon} {reason}"))
    }

    fn flag(&mut self, member: &str) -> Result<Option<bool>, Reason> {
        let Some(text) = self.take(member) else {
            return Ok(None);
        };
        let is = |flag: &str| text.eq_ignore_ascii_case(flag);
        if is("true") || is("1") {
            Ok(Some(true))
        } else if is("false") || is("0") {
            Ok(Some(false))
        } else {
            let text = quoted(&text);
            Err(format!("{member} must be true or false, got {text}"))
        }
    }

    /// Takes the `userId`. An address in another place than `userId` names the same user in upper and lower case.
    /// The API accepts an id with a NUL, but no command line could erase that user.
    fn user_id(&mut self, rules: &ImportRules) -> Result<Option<UserId>, Reason> {
        if rules.folds_addresses()
            && let Some(text) = self.take("userId")
        {
            let is_address = text.contains('@');
            let folded = if is_address {
                text.to_lowercase().into()
            } else {
                text
            };
            self.add("userId", folded);
        }
        let user_id: Option<UserId> = self.value("userId")?;
        match user_id {
            Some(id) if id.as_str().contains('\0') => Err("userId must not hold a NUL".to_owned()),
            user_id => Ok(user_id),
        }
    }
}

/// Parses a response record, of which `outcome` tells what became of the display from its rating and whether it
/// was dismissed. One without an id of its own has the derived one. Returns also what it says about its user; without a
/// `userId`, that is not imported.
///
/// # Errors
///
/// Returns why it cannot be imported.
pub(crate) fn parse_response(
    values: &mut RecordValues<'_>,
    rules: &ImportRules,
    has_labels: bool,
    derived_id: Option<RecordId>,
    outcome: impl FnOnce(Option<Rating>, bool) -> Result<Outcome, Reason>,
) -> Result<(ResponseRecord, Option<UserFacts>), Reason> {
    let instant = values.instant("created", rules)?;
    let created = instant.or(rules.created).ok_or("created is missing")?;
    if created.plus_millis(1).is_none() {
        return Err(format!(
            "created must be before {created}, which no period contains"
        ));
    }
    let written = values.take("rating");
    let score = written.map(|text| rating(&text, has_labels)).transpose()?;
    let dismissed = values.flag("dismissed")?.unwrap_or(false);
    let id = values.value("id")?.or(derived_id);
    let record = ResponseRecord {
        project: rules.project.clone(),
        id: id.ok_or("id is missing")?,
        created,
        outcome: outcome(score, dismissed)?,
        user_id: values.user_id(rules)?,
        traits: values.traits.take(),
    };
    let facts = values.remaining();
    // Without a userId there is no user to keep the facts, which are checked nevertheless.
    let known_since = values.instant("createdAt", rules)?;
    let id = values.value("user.id")?;
    let email = values.value("email")?;
    let name = values.value("name")?;
    let user = record.user_id.clone().map(|user_id| UserFacts {
        id,
        user_id,
        last_seen: Some(created),
        created: Some(known_since.map_or(created, |since| since.min(created))),
        email,
        name,
        unsubscribed: None,
        traits: record.traits.as_ref().map(of_user),
    });
    if user.is_none() {
        values.ignored.extend(facts);
    }
    Ok((record, user))
}

/// Parses a user, in the form in which `GET /api/users` returns it. Traits of a survey are not imported.
///
/// # Errors
///
/// Returns why it cannot be imported.
pub(crate) fn parse_user(
    values: &mut RecordValues<'_>,
    rules: &ImportRules,
) -> Result<UserFacts, Reason> {
    let traits = values.traits.iter().flat_map(Traits::names);
    let of_survey = traits.filter(|name| is_of_survey(name));
    let paths = of_survey.map(|name| format!("{TRAITS}{name}"));
    values.ignored.extend(paths);
    let user_id = values.user_id(rules)?;
    Ok(UserFacts {
        id: values.value("id")?,
        user_id: user_id.ok_or("userId is missing")?,
        last_seen: values.instant("lastSeen", rules)?,
        created: values.instant("created", rules)?.or(rules.created),
        email: values.value("email")?,
        name: values.value("name")?,
        unsubscribed: values.flag("unsubscribed")?,
        traits: values.traits.as_ref().map(of_user),
    })
}

/// Returns the traits that are facts of a user.
fn of_user(traits: &Traits) -> Traits {
    let mut of_user = traits.clone();
    of_user.retain(|name| !is_of_survey(name));
    of_user
}
