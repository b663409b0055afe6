//! Reads the users of a project.

use std::borrow::Cow;
use std::sync::Arc;

use super::page::{ItemReader, Json, Pages, Scalar, Text, transcode};
use super::read::{Attributes, KeyRange, PageRead, PagedTable};
use super::{Error, Store};
use crate::model::{ProjectId, Timestamp, Usage, UserId};

/// Users of a project in ascending byte order of `userId`, page by page.
#[derive(Debug)]
pub struct UserPages {
    pages: Pages,
    usage: Arc<Usage>,
}

/// A stored user, borrowed from its page. Attributes that are absent or damaged are `None`.
#[derive(Debug)]
pub struct UserRow<'a> {
    /// The range key, which every stored item has.
    pub user_id: Text<'a>,
    /// `id`.
    pub id: Option<Text<'a>>,
    /// `lastSeen`, as a canonical timestamp.
    pub last_seen: Option<Cow<'a, str>>,
    /// `created`, as a canonical timestamp.
    pub created: Option<Cow<'a, str>>,
    /// `email`.
    pub email: Option<Text<'a>>,
    /// `name`.
    pub name: Option<Text<'a>>,
    /// `unsubscribed`.
    pub unsubscribed: Option<bool>,
    /// `traits`, as a JSON object.
    pub traits: Option<&'a [u8]>,
}

impl Store {
    /// Queries the user with this `userId`. Eventually consistent.
    pub fn user(&self, project: &ProjectId, user_id: &UserId, usage: Arc<Usage>) -> UserPages {
        let pages = self.pages(PageRead {
            range: KeyRange::Equal(user_id.as_str().to_owned()),
            ..all_users(project)
        });
        UserPages { pages, usage }
    }

    /// Queries the users after `after`, or all of them. `page_size` limits the users on a page, in
    /// addition to DynamoDB's limit of 1 MB. Eventually consistent.
    pub fn users(
        &self,
        project: &ProjectId,
        after: Option<&UserId>,
        page_size: Option<u32>,
        usage: Arc<Usage>,
    ) -> UserPages {
        let mut pages = self.pages(PageRead {
            after: after.map(|user_id| user_id.as_str().to_owned()),
            limit: page_size,
            ..all_users(project)
        });
        if page_size.is_none() {
            pages = pages.prefetching();
        }
        UserPages { pages, usage }
    }
}

fn all_users(project: &ProjectId) -> PageRead {
    PageRead {
        table: PagedTable::Users,
        hash: project.to_string(),
        range: KeyRange::All,
        after: None,
        limit: None,
        attributes: Attributes::All,
        index: None,
    }
}

impl UserPages {
    /// Reads the next page and calls `row` with each of its users. Returns `false` after the last
    /// page.
    pub async fn next(&mut self, row: &mut (dyn FnMut(UserRow<'_>) + Send)) -> Result<bool, Error> {
        let mut reader = UserReader {
            row,
            traits: Vec::new(),
            damaged: 0,
        };
        let read = self.pages.read(&mut reader, &self.usage).await?;
        self.usage.add_skipped(reader.damaged);
        Ok(read)
    }
}

struct UserReader<'a> {
    row: &'a mut (dyn FnMut(UserRow<'_>) + Send),
    /// The traits of the current user as JSON. Reused, so that a user costs no allocation.
    traits: Vec<u8>,
    damaged: usize,
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

impl ItemReader for UserReader<'_> {
    fn read_item(&mut self, item: &mut Json<'_>) -> Option<()> {
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
        let mut damaged = user.traits == Some(false);
        // Every stored item has its key: without it, this is not what is stored.
        let user_id = user.user_id.string();
        let user_id = user_id.filter(|text| UserId::is_valid(text))?;
        (self.row)(UserRow {
            user_id: Text(user_id),
            id: string(user.id, &mut damaged).map(Text),
            last_seen: timestamp(user.last_seen, &mut damaged),
            created: timestamp(user.created, &mut damaged),
            email: string(user.email, &mut damaged).map(Text),
            name: string(user.name, &mut damaged).map(Text),
            unsubscribed: boolean(&user.unsubscribed, &mut damaged),
            traits: (user.traits == Some(true)).then_some(&self.traits),
        });
        self.damaged += usize::from(damaged);
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
