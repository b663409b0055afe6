//! What records say about a user.

use serde::Serialize;
use shared::model::{Timestamp, UserId};

use super::Traits;
use super::attributes::{Item, boolean, json, parsed, string};

/// What is known about a user, or what one record says about one. It serializes to the object of the
/// contract, section 3, without what is unknown.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserFacts {
    /// The record's identifier in the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    /// The user.
    pub(crate) user_id: UserId,
    /// When the user was last seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_seen: Option<Timestamp>,
    /// When the user was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) created: Option<Timestamp>,
    /// The user's e-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) email: Option<String>,
    /// The user's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// Whether the user is unsubscribed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unsubscribed: Option<bool>,
    /// What the host application says about the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) traits: Option<Traits>,
    /// How new the facts are: later facts have a greater text. It is the sort key of the response
    /// record that they come from, or [`UserFacts::as_of_list`].
    #[serde(skip)]
    pub(crate) as_of: String,
}

impl UserFacts {
    /// Decodes a stored user, without what is damaged.
    pub(super) fn from_item(item: &Item, user_id: UserId) -> Self {
        let last_seen: Option<Timestamp> = parsed(item, "lastSeen");
        let seen = last_seen.map(|seen| seen.to_string()).unwrap_or_default();
        Self {
            id: string(item, "id"),
            user_id,
            last_seen,
            created: parsed(item, "created"),
            email: string(item, "email"),
            name: string(item, "name"),
            unsubscribed: boolean(item, "unsubscribed"),
            traits: json(item, "traits").and_then(|traits| Traits::from_json(&traits)),
            // Other programs write users without saying how new their facts are.
            as_of: string(item, "asOf").unwrap_or_default().max(seen),
        }
    }

    /// Returns the JSON text of a trait.
    pub(super) fn trait_json(&self, name: &str) -> Option<&str> {
        self.traits.as_ref()?.get(name)
    }

    /// Returns how new the facts of a list of users are: newer than those of all response records of
    /// that instant (`$` sorts after the `#` of their sort keys).
    pub(crate) fn as_of_list(last_seen: Timestamp) -> String {
        format!("{last_seen}$")
    }

    /// Merges `other` into this: keeps the earliest `created`, the latest `last_seen`, and of every
    /// other fact and every trait the newer one that is known.
    pub(crate) fn absorb(&mut self, other: Self) {
        self.created = self.created.into_iter().chain(other.created).min();
        self.last_seen = self.last_seen.max(other.last_seen);
        let newer = other.as_of >= self.as_of;
        prefer(newer, &mut self.id, other.id);
        prefer(newer, &mut self.email, other.email);
        prefer(newer, &mut self.name, other.name);
        prefer(newer, &mut self.unsubscribed, other.unsubscribed);
        match (&mut self.traits, other.traits) {
            (Some(known), Some(traits)) => known.absorb(traits, newer),
            (known @ None, traits) => *known = traits,
            (Some(_), None) => {}
        }
        if newer {
            self.as_of = other.as_of;
        }
    }
}

fn prefer<T>(newer: bool, known: &mut Option<T>, other: Option<T>) {
    if other.is_some() && (newer || known.is_none()) {
        *known = other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The facts from a display at this instant, with or without an e-mail address.
    fn said(at: &str, record: &str, mail: Option<&str>) -> UserFacts {
        let seen: Timestamp = at.parse().unwrap();
        UserFacts {
            id: None,
            user_id: "007".parse().unwrap(),
            last_seen: Some(seen),
            created: Some(seen),
            email: mail.map(str::to_owned),
            name: None,
            unsubscribed: None,
            traits: None,
            as_of: format!("{seen}#{record}"),
        }
    }

    fn mail_of(facts: [UserFacts; 2]) -> Option<String> {
        let [mut known, other] = facts;
        known.absorb(other);
        known.email
    }

    #[test]
    fn the_newer_record_wins_whichever_comes_first() {
        let (old, new) = (
            said("2026-01-01", "b", Some("old")),
            said("2026-01-02", "a", Some("new")),
        );
        assert_eq!(mail_of([old.clone(), new.clone()]).as_deref(), Some("new"));
        assert_eq!(mail_of([new.clone(), old.clone()]).as_deref(), Some("new"));
        for mut facts in [[old.clone(), new.clone()], [new, old]] {
            let [known, other] = &mut facts;
            known.absorb(other.clone());
            let instants = (known.created, known.last_seen);
            let day = |text: &str| text.parse().ok();
            assert_eq!(instants, (day("2026-01-01"), day("2026-01-02")));
        }
    }

    #[test]
    fn at_one_instant_the_larger_record_id_wins_and_a_list_of_users_over_both() {
        let one = said("2026-01-01", "a", Some("a"));
        let other = said("2026-01-01", "b", Some("b"));
        assert_eq!(mail_of([other.clone(), one.clone()]).as_deref(), Some("b"));
        assert_eq!(mail_of([one.clone(), other.clone()]).as_deref(), Some("b"));
        let mut list = said("2026-01-01", "", Some("list"));
        list.as_of = UserFacts::as_of_list("2026-01-01".parse().unwrap());
        assert_eq!(
            mail_of([list.clone(), other.clone()]).as_deref(),
            Some("list")
        );
        assert_eq!(mail_of([other, list]).as_deref(), Some("list"));
    }

    #[test]
    fn what_the_newer_record_does_not_say_is_kept() {
        let (old, new) = (
            said("2026-01-01", "a", Some("old")),
            said("2026-01-02", "b", None),
        );
        assert_eq!(mail_of([old.clone(), new.clone()]).as_deref(), Some("old"));
        assert_eq!(mail_of([new, old]).as_deref(), Some("old"));
    }
}
