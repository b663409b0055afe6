//! What the API does not read of a stored item, or reads as something else (docs/item-format.md). Whoever
//! writes items without this project gets no error from the store.

use model::items::{CredentialRow, Json, Partition, Scalar, Shard, Table, decode_outcome};
use model::{CredentialKind, Digest, ProjectId, Timestamp, UserId};

use super::members::{ItemMembers, ItemValue};
use super::record::RecordId;

/// A kind of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Finding {
    /// Whether such an item may be meant.
    pub is_note: bool,
    /// What the item has, and what that does to the answers of the API.
    pub text: &'static str,
}

const fn wrong(text: &'static str) -> Finding {
    let is_note = false;
    Finding { is_note, text }
}

const fn note(text: &'static str) -> Finding {
    let is_note = true;
    Finding { is_note, text }
}

/// Returns what is found in an item of a table, which is written in DynamoDB's JSON; `None` if it is no item.
pub fn findings(table: Table, json: &str) -> Option<Vec<Finding>> {
    let item = ItemMembers::of_item(json)?;
    let rules = match table {
        Table::RESPONSES => response(&item).to_vec(),
        Table::USERS => user(&item).to_vec(),
        Table::Credentials => credential(&item).to_vec(),
    };
    let broken = rules.into_iter().filter(|(is_broken, _)| *is_broken);
    Some(broken.map(|(_, finding)| finding).collect())
}

type Rule = (bool, Finding);

fn response(item: &ItemMembers<'_>) -> [Rule; 11] {
    const UNREAD: Finding = wrong("a shard that nothing reads: not counted");
    const SHARD: Finding = wrong("not the shard of its id: counted, and doubled by an import");
    const NO_INSTANT: Finding = wrong("no instant: in hardly any period, and not exported");
    const INSTANT: Finding = wrong("an instant in another form: doubled by export and import");
    const ID: Finding = wrong("no id of 1 to 999 bytes: counted, but not exported");
    const RATING: Finding = wrong("a rating that is no whole N from 0 to 10: not counted");
    const DISMISSED: Finding = wrong("a dismissed that is no BOOL: not counted");
    const TRAITS: Finding = wrong("traits that are no map: counted without traits");
    const BINARY: Finding = wrong("a binary trait: in no filter, until exported as a text");
    const USER_ID: Finding = wrong("a userId that is no string: counted as nobody's");
    const BOTH: Finding = note("a rating, and dismissed: counts as rated");

    let [at, shard] = ["at", "shard"].map(|name| item.string(name).unwrap_or_default());
    let (created, id) = at.split_once('#').unwrap_or((&at, ""));
    let project: Option<ProjectId> = shard
        .split_once('#')
        .and_then(|(name, _)| name.parse().ok());
    let mut read = project.iter().flat_map(Partition::shards);
    let is_read = read.any(|read| read.key == *shard);
    let given = |project| Partition::of_responses(project, Shard::of_record(id)).key == *shard;
    let rated = decode_outcome(&item.scalar("rating"), &Scalar::Null);
    let is_rated = rated.is_some_and(|outcome| outcome.rating().is_some());
    let traits = item.get("traits").and_then(ItemValue::members);
    let traits = traits.unwrap_or_default();
    let user_id = item.scalar("userId");
    let is_absent = user_id == Scalar::Null;
    let is_user_id = user_id.string().is_some_and(|text| UserId::is_valid(&text));
    [
        (!is_read, UNREAD),
        (is_read && !project.as_ref().is_some_and(given), SHARD),
        (!is_instant(created), NO_INSTANT),
        (is_other_form(created), INSTANT),
        (id.parse::<RecordId>().is_err(), ID),
        (rated.is_none(), RATING),
        (!is_flag(item, "dismissed"), DISMISSED),
        (!is_map(item, "traits"), TRAITS),
        (traits.iter().any(|(_, value)| value.is_binary()), BINARY),
        (!is_absent && !is_user_id, USER_ID),
        (
            is_rated && item.scalar("dismissed") == Scalar::Bool(true),
            BOTH,
        ),
    ]
}

fn user(item: &ItemMembers<'_>) -> [Rule; 9] {
    const PROJECT: Finding = wrong("a project that is no project's id: in no list");
    const ID: Finding = wrong("an id that is no string: served with a derived one");
    const CREATED: Finding = wrong("a created that is no instant: served as 1970-01-01");
    const LAST_SEEN: Finding = wrong("a lastSeen that is no instant: served without it");
    const FORM: Finding = wrong("an instant in another form: served, but compared wrongly");
    const TEXT: Finding = wrong("an email or name that is no string: served without it");
    const UNSUBSCRIBED: Finding = wrong("an unsubscribed that is no BOOL: served as false");
    const TRAITS: Finding = wrong("traits that are no map: served as {}");
    const NO_CREATED: Finding = note("no created: served as 1970-01-01");

    let is_text = |name| matches!(item.scalar(name), Scalar::String(_) | Scalar::Null);
    let is_absent = |name| item.scalar(name) == Scalar::Null;
    let is_bad = |name| !is_absent(name) && !item.string(name).is_some_and(|at| is_instant(&at));
    let is_other = |name| item.string(name).is_some_and(|at| is_other_form(&at));
    [
        (item.parsed::<ProjectId>("project").is_none(), PROJECT),
        (!is_text("id"), ID),
        (is_bad("created"), CREATED),
        (is_bad("lastSeen"), LAST_SEEN),
        (is_other("created") || is_other("lastSeen"), FORM),
        (!is_text("email") || !is_text("name"), TEXT),
        (!is_flag(item, "unsubscribed"), UNSUBSCRIBED),
        (!is_map(item, "traits"), TRAITS),
        (is_absent("created"), NO_CREATED),
    ]
}

fn credential(item: &ItemMembers<'_>) -> [Rule; 3] {
    const DIGEST: Finding = wrong("a key that is no digest: no secret matches it");
    const KIND: Finding = wrong("an unknown kind: authorizes nothing");
    const DAMAGED: Finding = wrong("a damaged project or username: authorizes nothing");

    let is_known = item.parsed::<CredentialKind>("kind").is_some();
    let json = item.json();
    let decoded = Json::read(&json, CredentialRow::read).and_then(|row| row.credential());
    [
        (item.parsed::<Digest>("digest").is_none(), DIGEST),
        (!is_known, KIND),
        (is_known && decoded.is_none(), DAMAGED),
    ]
}

fn is_instant(text: &str) -> bool {
    text.parse::<Timestamp>().is_ok()
}

/// Returns whether the text is an instant that does not sort as the instants do.
fn is_other_form(text: &str) -> bool {
    Timestamp::canonical(text.into()).is_some_and(|canonical| canonical != text)
}

fn is_flag(item: &ItemMembers<'_>, name: &str) -> bool {
    matches!(item.scalar(name), Scalar::Bool(_) | Scalar::Null)
}

fn is_map(item: &ItemMembers<'_>, name: &str) -> bool {
    let value = item.get(name).filter(|value| !value.is_null());
    value.is_none_or(|value| value.members().is_some())
}

#[cfg(test)]
mod tests;
