//! Decodes users for requests.

use std::borrow::Cow;

use super::json::Json;
use super::scalar::Scalar;
use super::transcode::transcode;
use crate::{Timestamp, UserId};

/// A stored user. Strings are borrowed from its page unless they have escapes there. Attributes that are
/// absent or damaged are `None`.
#[derive(Debug)]
pub struct UserRow<'a> {
    /// The range key, which every stored item has.
    pub user_id: Cow<'a, str>,
    /// `id`.
    pub id: Option<Cow<'a, str>>,
    /// `lastSeen`, as a canonical timestamp.
    pub last_seen: Option<Cow<'a, str>>,
    /// `created`, as a canonical timestamp.
    pub created: Option<Cow<'a, str>>,
    /// `email`.
    pub email: Option<Cow<'a, str>>,
    /// `name`.
    pub name: Option<Cow<'a, str>>,
    /// `unsubscribed`.
    pub unsubscribed: Option<bool>,
    /// `traits`, as a JSON object.
    pub traits: Option<&'a [u8]>,
}

/// Reads the items of a page, and calls `row` with each user.
pub struct UserReader<'a> {
    row: &'a mut (dyn FnMut(UserRow<'_>) + Send),
    /// The traits of the current user as JSON. Reused, so that a user costs no allocation.
    traits: Vec<u8>,
    /// The range key of the user before.
    last: String,
    /// The number of users without a `created`, or with an attribute that could not be decoded.
    pub defaulted: u64,
}

impl<'a> UserReader<'a> {
    /// Makes a reader that calls `row`.
    pub fn new(row: &'a mut (dyn FnMut(UserRow<'_>) + Send)) -> Self {
        Self {
            row,
            traits: Vec::new(),
            last: String::new(),
            defaulted: 0,
        }
    }

    /// Reads one item. Returns `None` if it has no key, or one out of order.
    pub fn read_item(&mut self, item: &mut Json<'_>) -> Option<()> {
        let mut user = UserAttributes::default();
        item.object(|json, name| {
            match &*name {
                "id" => user.id = Scalar::read(json)?,
                "userId" => user.user_id = Scalar::read(json)?,
                "lastSeen" => user.last_seen = Scalar::read(json)?,
                "created" => user.created = Scalar::read(json)?,
                "email" => user.email = Scalar::read(json)?,
                "name" => user.name = Scalar::read(json)?,
                "unsubscribed" => user.unsubscribed = Scalar::read(json)?,
                "traits" => {
                    self.traits.clear();
                    let valid = transcode(json, &mut self.traits)?;
                    let absent = valid && self.traits == b"null";
                    user.traits = (!absent).then_some(valid && self.traits.starts_with(b"{"));
                }
                _ => json.skip_typed()?,
            }
            Some(())
        })?;
        let mut damaged = user.traits == Some(false) || user.created == Scalar::Null;
        // Every stored item has its key: without it, this is not what is stored.
        let user_id = user.user_id.string();
        let user_id = user_id.filter(|text| UserId::is_valid(text))?;
        if *user_id <= *self.last {
            return None;
        }
        self.last.clear();
        self.last.push_str(&user_id);
        (self.row)(UserRow {
            user_id,
            id: string(user.id, &mut damaged),
            last_seen: timestamp(user.last_seen, &mut damaged),
            created: timestamp(user.created, &mut damaged),
            email: string(user.email, &mut damaged),
            name: string(user.name, &mut damaged),
            unsubscribed: boolean(&user.unsubscribed, &mut damaged),
            traits: (user.traits == Some(true)).then_some(&self.traits),
        });
        self.defaulted += u64::from(damaged);
        Some(())
    }
}

/// The attributes of a user, undecoded.
#[derive(Default)]
struct UserAttributes<'a> {
    id: Scalar<'a>,
    user_id: Scalar<'a>,
    last_seen: Scalar<'a>,
    created: Scalar<'a>,
    email: Scalar<'a>,
    name: Scalar<'a>,
    unsubscribed: Scalar<'a>,
    /// Whether the traits are a valid map; `None` if they are absent.
    traits: Option<bool>,
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
