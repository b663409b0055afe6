use std::sync::Arc;

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::query::{QueryError, QueryOutput};
use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use aws_smithy_async::future::pagination_stream::PaginationStream;

use super::attributes::{Attributes, Item, boolean, json, parsed, string};
use super::fault::fault;
use super::{Store, count_capacity};
use crate::error::Error;
use crate::model::{ProjectId, Timestamp, Traits, Usage, User, UserId};

/// The users of a project in ascending byte order of `userId`, page by page.
#[derive(Debug)]
pub struct UserPages {
    pages: PaginationStream<Result<QueryOutput, SdkError<QueryError, HttpResponse>>>,
    project: ProjectId,
    usage: Arc<Usage>,
}

impl Store {
    /// The user with this `userId`, if there is one. Eventually consistent.
    pub async fn user(
        &self,
        project: &ProjectId,
        user_id: &UserId,
        usage: &Usage,
    ) -> Result<Option<User>, Error> {
        let output = self
            .client
            .get_item()
            .table_name(&self.tables.users)
            .set_key(Some(key(project, user_id)))
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .send()
            .await
            .map_err(|error| fault("GetItem users", &error))?;
        count_capacity(usage, output.consumed_capacity());
        let Some(item) = output.item else {
            return Ok(None);
        };
        usage.add_page(1);
        Ok(decode(item, project, usage))
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
        let pages = self
            .client
            .query()
            .table_name(&self.tables.users)
            .key_condition_expression("#project = :project")
            .expression_attribute_names("#project", "project")
            .expression_attribute_values(":project", AttributeValue::S(project.to_string()))
            .set_exclusive_start_key(after.map(|user_id| key(project, user_id)))
            .set_limit(page_size)
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .into_paginator()
            .send();
        UserPages {
            pages,
            project: project.clone(),
            usage,
        }
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
    /// The next page, or `None` after the last one.
    pub async fn next(&mut self) -> Result<Option<Vec<User>>, Error> {
        let Some(page) = self.pages.next().await else {
            return Ok(None);
        };
        let page = page.map_err(|error| fault("Query users", &error))?;
        count_capacity(&self.usage, page.consumed_capacity());
        let items = page.items.unwrap_or_default();
        self.usage.add_page(items.len());
        Ok(Some(
            items
                .into_iter()
                .filter_map(|item| decode(item, &self.project, &self.usage))
                .collect(),
        ))
    }
}

/// A user is never dropped for a damaged attribute. `None` would take an item without its own key.
fn decode(item: Item, project: &ProjectId, usage: &Usage) -> Option<User> {
    let mut item = Attributes::new(item);
    let user_id: UserId = item.take("userId", parsed)?;
    let user = User {
        id: item
            .take("id", string)
            .unwrap_or_else(|| User::default_id(project, &user_id)),
        project: project.clone(),
        last_seen: item.take("lastSeen", parsed),
        created: item.take("created", parsed).unwrap_or(Timestamp::EPOCH),
        email: item.take("email", string),
        name: item.take("name", string),
        unsubscribed: item.take("unsubscribed", boolean).unwrap_or(false),
        traits: item
            .take("traits", |value| Traits::from_json(json(&value)?))
            .unwrap_or_default(),
        user_id,
    };
    usage.add_skipped(usize::from(item.damaged));
    Some(user)
}
