use std::borrow::Cow;
use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;

use super::Store;
use super::attributes::Item;
use super::page::{Json, Pages, Records, Value, quote, transcode};
use crate::error::Error;
use crate::model::{ProjectId, Timestamp, Usage, UserId, default_user_id};

/// Users of a project in ascending byte order of `userId`, page by page.
#[derive(Debug)]
pub struct UserPages {
    pages: Pages,
    project: ProjectId,
    usage: Arc<Usage>,
}

/// Users as the elements of a JSON array, in the shape of the contract, section 3.
#[derive(Debug)]
pub struct UserList {
    json: Vec<u8>,
    begun: bool,
    room: usize,
    more: bool,
    last: Option<UserId>,
}

impl Store {
    /// The user with this `userId`, if there is one. Eventually consistent.
    pub fn user(&self, project: &ProjectId, user_id: &UserId, usage: Arc<Usage>) -> UserPages {
        let query = self
            .users_query(project)
            .key_condition_expression("#project = :project AND #userId = :userId")
            .expression_attribute_names("#userId", "userId")
            .expression_attribute_values(":userId", AttributeValue::S(user_id.as_str().to_owned()));
        UserPages::new(Pages::of(query, "Query user"), project, usage)
    }

    /// The users after `after`, or all of them; `page_size` bounds a page beside DynamoDB's own 1
    /// MB. Eventually consistent.
    pub fn users(
        &self,
        project: &ProjectId,
        after: Option<&UserId>,
        page_size: Option<i32>,
        usage: Arc<Usage>,
    ) -> UserPages {
        let query = self
            .users_query(project)
            .key_condition_expression("#project = :project")
            .set_exclusive_start_key(after.map(|user_id| key(project, user_id)))
            .set_limit(page_size);
        let mut pages = Pages::of(query, "Query users");
        if page_size.is_none() {
            pages = pages.asking_ahead();
        }
        UserPages::new(pages, project, usage)
    }

    fn users_query(
        &self,
        project: &ProjectId,
    ) -> aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder {
        self.client
            .query()
            .table_name(&self.tables.users)
            .expression_attribute_names("#project", "project")
            .expression_attribute_values(":project", AttributeValue::S(project.to_string()))
    }
}

pub(super) fn key(project: &ProjectId, user_id: &UserId) -> Item {
    Item::from([
        ("project".to_owned(), AttributeValue::S(project.to_string())),
        (
            "userId".to_owned(),
            AttributeValue::S(user_id.as_str().to_owned()),
        ),
    ])
}

impl UserPages {
    fn new(pages: Pages, project: &ProjectId, usage: Arc<Usage>) -> Self {
        Self {
            pages,
            project: project.clone(),
            usage,
        }
    }

    /// Appends the next page to the list; `false` after the last one.
    pub async fn next(&mut self, list: &mut UserList) -> Result<bool, Error> {
        let mut users = Users {
            list,
            project: &self.project,
            traits: Vec::new(),
            damaged: 0,
        };
        let read = self.pages.read(&mut users, &self.usage).await?;
        self.usage.add_skipped(users.damaged);
        Ok(read)
    }
}

impl UserList {
    /// An empty list that takes this many users at most.
    pub fn with_room(room: usize) -> Self {
        Self {
            json: Vec::new(),
            begun: false,
            room,
            more: false,
            last: None,
        }
    }

    /// The text since it was last taken; the elements are separated by commas throughout.
    pub fn take_json(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.json)
    }

    /// The text so far.
    pub fn json(&self) -> &[u8] {
        &self.json
    }

    /// The last user, if there were more than there was room for.
    pub fn last_before_more(&self) -> Option<&UserId> {
        self.last.as_ref().filter(|_| self.more)
    }
}

/// The users of a page on their way into a list.
struct Users<'a> {
    list: &'a mut UserList,
    project: &'a ProjectId,
    /// Kept from user to user, as traits may come before what stands before them in the answer.
    traits: Vec<u8>,
    damaged: usize,
}

/// The attributes of a user.
#[derive(Default)]
struct Attributes<'a> {
    id: Value<'a>,
    user_id: Value<'a>,
    last_seen: Value<'a>,
    created: Value<'a>,
    email: Value<'a>,
    name: Value<'a>,
    unsubscribed: Value<'a>,
    /// Whether the traits are a map of values that there are; `None` when they are absent.
    traits: Option<bool>,
}

impl Records for Users<'_> {
    fn take(&mut self, item: &mut Json<'_>) -> Option<()> {
        let mut user = Attributes::default();
        self.traits.clear();
        item.object(|json, name| {
            match &*name {
                "id" => user.id = Value::read(json)?,
                "userId" => user.user_id = Value::read(json)?,
                "lastSeen" => user.last_seen = Value::read(json)?,
                "created" => user.created = Value::read(json)?,
                "email" => user.email = Value::read(json)?,
                "name" => user.name = Value::read(json)?,
                "unsubscribed" => user.unsubscribed = Value::read(json)?,
                "traits" => {
                    let valid = transcode(json, &mut self.traits)?;
                    let absent = valid && self.traits == b"null";
                    user.traits = (!absent).then_some(valid && self.traits.starts_with(b"{"));
                }
                _ => json.skip()?,
            }
            Some(())
        })?;
        self.append(user);
        Some(())
    }
}

impl Users<'_> {
    /// A user is never dropped for a damaged attribute. An item without its own key there cannot
    /// be.
    fn append(&mut self, user: Attributes<'_>) {
        let key = user.user_id.string();
        let Some((user_id, last)) = key.and_then(|key| Some((key.parse().ok()?, key))) else {
            return;
        };
        if self.list.room == 0 {
            self.list.more = true;
            return;
        }
        self.list.room -= 1;
        let mut damaged = user.traits == Some(false);
        let unsubscribed = match user.unsubscribed {
            Value::Bool(flag) => flag,
            Value::Null => false,
            _ => {
                damaged = true;
                false
            }
        };
        let out = &mut self.list.json;
        if self.list.begun {
            out.push(b',');
        }
        self.list.begun = true;
        out.extend_from_slice(br#"{"id":"#);
        match string(user.id, &mut damaged) {
            Some(id) => quote(&id, out),
            None => push(out, &default_user_id(self.project, &user_id)),
        }
        out.extend_from_slice(br#","project":"#);
        push(out, self.project.as_str());
        out.extend_from_slice(br#","userId":"#);
        quote(&last, out);
        if let Some(seen) = instant(user.last_seen, &mut damaged) {
            out.extend_from_slice(br#","lastSeen":"#);
            push(out, &seen);
        }
        out.extend_from_slice(br#","created":"#);
        match instant(user.created, &mut damaged) {
            Some(created) => push(out, &created),
            None => push(out, &Timestamp::EPOCH.to_string()),
        }
        for (name, value) in [("email", user.email), ("name", user.name)] {
            if let Some(text) = string(value, &mut damaged) {
                out.push(b',');
                push(out, name);
                out.push(b':');
                quote(&text, out);
            }
        }
        out.extend_from_slice(if unsubscribed {
            br#","unsubscribed":true,"traits":"#.as_slice()
        } else {
            br#","unsubscribed":false,"traits":"#
        });
        out.extend_from_slice(match user.traits {
            Some(true) => &self.traits,
            _ => b"{}",
        });
        out.push(b'}');
        self.list.last = Some(user_id);
        self.damaged += usize::from(damaged);
    }
}

/// A string that needs no escapes.
fn push(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

fn string<'a>(value: Value<'a>, damaged: &mut bool) -> Option<Cow<'a, str>> {
    let absent = value == Value::Null;
    let text = value.string();
    *damaged |= text.is_none() && !absent;
    text
}

fn instant<'a>(value: Value<'a>, damaged: &mut bool) -> Option<Cow<'a, str>> {
    let text = string(value, damaged)?;
    let canonical = Timestamp::canonical(text);
    *damaged |= canonical.is_none();
    canonical
}
