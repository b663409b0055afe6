use serde::Serialize;

use super::{Timestamp, Traits, UserId};

/// What is known of a user, or what one record says of one. It serialises to the object of the
/// contract, section 3, without what is not known.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UserFacts {
    /// The record's identifier in the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Whom it is about.
    pub user_id: UserId,
    /// When the user was last seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seen: Option<Timestamp>,
    /// When the user was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// The user's e-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The user's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether the user is unsubscribed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsubscribed: Option<bool>,
    /// Whatever the host application says of the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traits: Option<Traits>,
    /// How new the facts are: texts of this order as the facts do. The sort key of the response
    /// record that they are from, or [`UserFacts::as_of_list`].
    #[serde(skip)]
    pub as_of: String,
}

impl UserFacts {
    /// How new the facts of a list of users are: later than those of every response record of that
    /// instant (`$` follows the `#` of their sort keys).
    pub fn as_of_list(last_seen: Timestamp) -> String {
        format!("{last_seen}$")
    }

    /// Adds what `other` says: the earliest `created`, the latest `last_seen`, and the other facts of
    /// the newer of the two. A fact that the newer one lacks is kept.
    pub fn absorb(&mut self, other: Self) {
        self.created = self.created.into_iter().chain(other.created).min();
        self.last_seen = self.last_seen.max(other.last_seen);
        let newer = other.as_of >= self.as_of;
        prefer(newer, &mut self.id, other.id);
        prefer(newer, &mut self.email, other.email);
        prefer(newer, &mut self.name, other.name);
        prefer(newer, &mut self.unsubscribed, other.unsubscribed);
        prefer(newer, &mut self.traits, other.traits);
        if newer {
            self.as_of = other.as_of;
        }
    }
}

fn prefer<T>(newer: bool, known: &mut Option<T>, said: Option<T>) {
    if said.is_some() && (newer || known.is_none()) {
        *known = said;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a display of this instant says, with a mail address or none.
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
