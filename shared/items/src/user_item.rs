//! Decodes users for requests.

use std::borrow::Cow;

use model::{Timestamp, UserId};

use crate::json::{Json, Scalar};
use crate::transcode::transcode;

/// A stored user. Strings are borrowed from its page unless they have escapes there. Attributes that are
/// absent or damaged are `None`.
#[derive(Debug, Default)]
pub struct UserItem<'a> {
    /// The range key, which every stored item has.
    pub user_id: Cow<'a, str>,
    pub id: Option<Cow<'a, str>>,
    /// `lastSeen`, as a canonical timestamp.
    pub last_seen: Option<Cow<'a, str>>,
    /// `created`, as a canonical timestamp.
    pub created: Option<Cow<'a, str>>,
    pub email: Option<Cow<'a, str>>,
    pub name: Option<Cow<'a, str>>,
    pub unsubscribed: Option<bool>,
    /// `traits`, as a JSON object.
    pub traits: Option<&'a str>,
}

/// Reads the items of a page, and calls `visit` with each user.
pub struct UserReader<'a> {
    visit: &'a mut (dyn FnMut(UserItem<'_>) + Send),
    /// The traits of the current user as JSON. Reused, so that a user costs no allocation.
    traits: String,
    /// The range key of the user before.
    last: String,
    /// The number of users without a `created`, or with an attribute that could not be decoded.
    pub defaulted: u64,
}

impl<'a> UserReader<'a> {
    pub fn new(visit: &'a mut (dyn FnMut(UserItem<'_>) + Send)) -> Self {
        Self {
            visit,
            traits: String::new(),
            last: String::new(),
            defaulted: 0,
        }
    }

    /// Reads one item. Returns `None` if it has no key, or one out of order.
    pub fn read_item(&mut self, item: &mut Json<'_>) -> Option<()> {
        let mut user = UserItem::default();
        let mut damaged = false;
        let mut has_traits = false;
        item.object(|json, name| {
            match &*name {
                "userId" => user.user_id = Scalar::read(json)?.string()?,
                "id" => user.id = string(Scalar::read(json)?, &mut damaged),
                "lastSeen" => user.last_seen = timestamp(Scalar::read(json)?, &mut damaged),
                "created" => user.created = timestamp(Scalar::read(json)?, &mut damaged),
                "email" => user.email = string(Scalar::read(json)?, &mut damaged),
                "name" => user.name = string(Scalar::read(json)?, &mut damaged),
                "unsubscribed" => {
                    user.unsubscribed = boolean(&Scalar::read(json)?, &mut damaged);
                }
                "traits" => {
                    self.traits.clear();
                    let valid = transcode(json, &mut self.traits)?;
                    has_traits = valid && self.traits.starts_with('{');
                    let absent = valid && self.traits == "null";
                    damaged |= !(has_traits || absent);
                }
                _ => json.skip_typed()?,
            }
            Some(())
        })?;
        // Every stored item has its key: without it, this is not what is stored.
        if !UserId::is_valid(&user.user_id) || *user.user_id <= *self.last {
            return None;
        }
        self.last.clear();
        self.last.push_str(&user.user_id);
        self.defaulted += u64::from(damaged || user.created.is_none());
        user.traits = has_traits.then_some(&self.traits);
        (self.visit)(user);
        Some(())
    }
}

fn string<'a>(value: Scalar<'a>, damaged: &mut bool) -> Option<Cow<'a, str>> {
    let absent = value == Scalar::Null;
    let text = value.string();
    *damaged |= text.is_none() && !absent;
    text
}

fn timestamp<'a>(value: Scalar<'a>, damaged: &mut bool) -> Option<Cow<'a, str>> {
    let text = string(value, damaged)?;
    let canonical = Timestamp::canonical(text);
    *damaged |= canonical.is_none();
    canonical
}

fn boolean(value: &Scalar<'_>, damaged: &mut bool) -> Option<bool> {
    match value {
        Scalar::Bool(flag) => Some(*flag),
        Scalar::Null => None,
        _ => {
            *damaged = true;
            None
        }
    }
}
