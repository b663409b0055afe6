//! What the API does not read of a stored item, or reads as something else (docs/item-format.md). Whoever
//! writes items without this project gets no error from the store.

use model::{ProjectId, Timestamp, UserId};
use serde::Serialize;

use crate::item_members::{ItemMembers, ItemValue};
use crate::json::Scalar;
use crate::records::RecordId;
use crate::response_item::decode_outcome;
use crate::table::Shard;

/// A kind of finding: what an item has, and what that does to the answers of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Finding(pub &'static str);

/// What the text of a note begins with.
const NOTE: &str = "note: ";

impl Finding {
    /// Returns whether such an item may be meant.
    pub fn is_note(self) -> bool {
        self.0.starts_with(NOTE)
    }

    pub fn all(rules: impl IntoIterator<Item = Rule>) -> Vec<Self> {
        let broken = rules.into_iter().filter(|(is_broken, _)| *is_broken);
        broken.map(|(_, text)| Self(text)).collect()
    }
}

/// Whether an item breaks a rule, and the finding if it does.
type Rule = (bool, &'static str);

pub fn response_findings(item: &ItemMembers<'_>) -> Vec<Finding> {
    const UNREAD: &str = "a shard that nothing reads: not counted";
    const SHARD: &str = "not the shard of its id: counted, and doubled by an import";
    const NO_INSTANT: &str = "no instant: in hardly any period, and not exported";
    const INSTANT: &str = "an instant in another form: doubled by export and import";
    const ID: &str = "no id of 1 to 999 bytes: counted, but not exported";
    const RATING: &str = "a rating that is no whole N from 0 to 10: not counted";
    const DISMISSED: &str = "a dismissed that is no BOOL: not counted";
    const TRAITS: &str = "traits that are no map: counted without traits";
    const BINARY: &str = "a binary trait: in no filter, until exported as a text";
    const USER_ID: &str = "a userId that is no string: counted as nobody's";
    const BOTH: &str = "note: a rating, and dismissed: counts as rated";

    let [at, shard] = ["at", "shard"].map(|name| item.string(name).unwrap_or_default());
    let (created, id) = at.split_once('#').unwrap_or((&at, ""));
    let has_id = id.parse::<RecordId>().is_ok();
    let (project, digit) = shard.split_once('#').unwrap_or_default();
    let is_shard = |shard: Shard| shard.to_string() == digit;
    let is_read = project.parse::<ProjectId>().is_ok() && Shard::all().any(is_shard);
    let is_own = is_shard(Shard::of_record(id));
    let outcome = decode_outcome(&item.scalar("rating"), &Scalar::Null);
    let is_rated = outcome.is_some_and(|outcome| outcome.rating().is_some());
    let is_dismissed = item.scalar("dismissed") == Scalar::Bool(true);
    let traits = item.get("traits").and_then(ItemValue::members);
    let has_binary = traits.is_some_and(|it| it.iter().any(|(_, value)| value.is_binary()));
    let is_user = is_absent(item, "userId") || item.parsed::<UserId>("userId").is_some();
    Finding::all([
        (!is_read, UNREAD),
        (is_read && has_id && !is_own, SHARD),
        (!is_instant(created), NO_INSTANT),
        (is_other_form(created), INSTANT),
        (!has_id, ID),
        (outcome.is_none(), RATING),
        (!is_flag(item, "dismissed"), DISMISSED),
        (!is_map(item, "traits"), TRAITS),
        (has_binary, BINARY),
        (!is_user, USER_ID),
        (is_rated && is_dismissed, BOTH),
    ])
}

pub fn user_findings(item: &ItemMembers<'_>) -> Vec<Finding> {
    const PROJECT: &str = "a project that is no project's id: in no list";
    const ID: &str = "an id that is no string: served with a derived one";
    const CREATED: &str = "a created that is no instant: served as 1970-01-01";
    const LAST_SEEN: &str = "a lastSeen that is no instant: served without it";
    const FORM: &str = "an instant in another form: served, but compared wrongly";
    const TEXT: &str = "an email or name that is no string: served without it";
    const UNSUBSCRIBED: &str = "an unsubscribed that is no BOOL: served as false";
    const TRAITS: &str = "traits that are no map: served as {}";
    const NO_CREATED: &str = "note: no created: served as 1970-01-01";

    let is_text = |name| is_absent(item, name) || item.string(name).is_some();
    let is_good = |name| item.string(name).is_some_and(|at| is_instant(&at));
    let is_other = |name| item.string(name).is_some_and(|at| is_other_form(&at));
    let has_created = !is_absent(item, "created");
    Finding::all([
        (item.parsed::<ProjectId>("project").is_none(), PROJECT),
        (!is_text("id"), ID),
        (has_created && !is_good("created"), CREATED),
        (
            !is_absent(item, "lastSeen") && !is_good("lastSeen"),
            LAST_SEEN,
        ),
        (is_other("created") || is_other("lastSeen"), FORM),
        (!is_text("email") || !is_text("name"), TEXT),
        (!is_flag(item, "unsubscribed"), UNSUBSCRIBED),
        (!is_map(item, "traits"), TRAITS),
        (!has_created, NO_CREATED),
    ])
}

fn is_absent(item: &ItemMembers<'_>, name: &str) -> bool {
    item.scalar(name) == Scalar::Null
}

fn is_flag(item: &ItemMembers<'_>, name: &str) -> bool {
    matches!(item.scalar(name), Scalar::Bool(_) | Scalar::Null)
}

fn is_map(item: &ItemMembers<'_>, name: &str) -> bool {
    is_absent(item, name) || item.get(name).is_some_and(|it| it.members().is_some())
}

fn is_instant(text: &str) -> bool {
    text.parse::<Timestamp>().is_ok()
}

/// Returns whether the text is an instant that does not sort as the instants do.
fn is_other_form(text: &str) -> bool {
    Timestamp::canonical(text.into()).is_some_and(|canonical| canonical != text)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;

    type Findings = fn(&ItemMembers<'_>) -> Vec<Finding>;

    /// Checks a table whose lines have attributes, and the beginning of their only finding's text. The item has
    /// these attributes, too, or in the place of its own. Attributes without a text lead to no finding.
    #[track_caller]
    fn assert_found(findings: Findings, item: &Value, cases: &str) {
        for line in cases.trim().lines().map(str::trim) {
            let (attributes, expected) = line.split_once(" =>").expect(line);
            let attributes: Map<String, Value> = serde_json::from_str(attributes).expect(line);
            let mut changed = item.clone();
            changed.as_object_mut().unwrap().extend(attributes);
            let found = findings(&ItemMembers::of_item(&changed.to_string()).unwrap());
            let is_expected = match (expected.trim(), &found[..]) {
                ("", found) => found.is_empty(),
                (text, found) => matches!(found, [only] if only.0.starts_with(text)),
            };
            assert!(is_expected, "{line}: {found:?}");
        }
    }

    fn response() -> Value {
        // The SHA-256 of the id begins with 8.
        json!({"shard": {"S": "acme#8"}, "at": {"S": "2026-01-31T08:30:00.000Z#5f0c"}})
    }

    #[test]
    fn what_the_figures_leave_out_of_a_response_or_count_otherwise_is_found() {
        let cases = r##"
            {} =>
            {"shard": {"S": "acme#2"}} => not the shard of its id
            {"shard": {"S": "acme#g"}} => a shard that nothing reads
            {"shard": {"S": "acme#88"}} => a shard that nothing reads
            {"shard": {"S": "acme"}} => a shard that nothing reads
            {"shard": {"S": "a.b#8"}} => a shard that nothing reads
            {"at": {"S": "2026-01-31T08:30:00Z#5f0c"}} => an instant in another form
            {"at": {"S": "31.01.2026#5f0c"}} => no instant
            {"at": {"S": "#5f0c"}} => no instant
            {"at": {"S": "2026-01-31T08:30:00.000Z"}} => no id of 1 to 999 bytes
            {"at": {"S": "2026-01-31T08:30:00.000Z#"}} => no id of 1 to 999 bytes
            {"rating": {"N": "0"}} =>
            {"rating": {"N": "10"}} =>
            {"rating": {"NULL": true}} =>
            {"rating": {"N": "11"}} => a rating that is no whole N
            {"rating": {"N": "8.5"}} => a rating that is no whole N
            {"rating": {"N": "-1"}} => a rating that is no whole N
            {"rating": {"S": "9"}} => a rating that is no whole N
            {"rating": {"N": "9"}, "dismissed": {"BOOL": false}} =>
            {"rating": {"N": "9"}, "dismissed": {"BOOL": true}} => note: a rating, and dismissed
            {"dismissed": {"BOOL": true}} =>
            {"dismissed": {"S": "true"}} => a dismissed that is no BOOL
            {"dismissed": {"N": "1"}} => a dismissed that is no BOOL
            {"traits": {"M": {"plan": {"L": []}, "seats": {"NULL": true}}}} =>
            {"traits": {"NULL": true}} =>
            {"traits": {"S": "{}"}} => traits that are no map
            {"traits": {"L": []}} => traits that are no map
            {"traits": {"M": {"key": {"B": "YQ=="}}}} => a binary trait
            {"userId": {"S": "007"}} =>
            {"userId": {"NULL": true}} =>
            {"userId": {"N": "7"}} => a userId that is no string
            {"userId": {"S": ""}} => a userId that is no string
            {"userId": {"S": "TOO-LONG"}} => a userId that is no string
            {"comment": {"S": "ignored"}} =>
        "##
        .replace("TOO-LONG", &"x".repeat(1_025));
        assert_found(response_findings, &response(), &cases);
    }

    #[test]
    fn what_a_list_leaves_out_of_a_user_or_replaces_is_found() {
        let created = json!({"S": "2026-01-31T08:30:00.000Z"});
        let user = json!({"project": {"S": "acme"}, "userId": {"S": "007"}, "created": created});
        let cases = r#"
            {} =>
            {"project": {"S": "a.b"}} => a project that is no project's id
            {"id": {"N": "1"}} => an id that is no string
            {"created": {"S": "long ago"}} => a created that is no instant
            {"created": {"N": "1769848200"}} => a created that is no instant
            {"created": {"S": "2026-01-31"}} => an instant in another form
            {"created": {"NULL": true}} => note: no created
            {"lastSeen": {"S": "2026-01-31T08:30:00.000Z"}} =>
            {"lastSeen": {"S": ""}} => a lastSeen that is no instant
            {"lastSeen": {"S": "2026-01-31T08:30:00Z"}} => an instant in another form
            {"email": {"S": "a@example.com"}, "name": {"S": ""}} =>
            {"email": {"SS": ["a@example.com"]}} => an email or name that is no string
            {"name": {"N": "1"}} => an email or name that is no string
            {"unsubscribed": {"BOOL": true}} =>
            {"unsubscribed": {"S": "true"}} => an unsubscribed that is no BOOL
            {"traits": {"M": {}}} =>
            {"traits": {"S": "{}"}} => traits that are no map
        "#;
        assert_found(user_findings, &user, cases);
    }
}
