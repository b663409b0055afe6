//! Reads the users of a project.

use std::sync::Arc;

use model::items::{Json, Partition, UserItem, UserReader};
use model::{ProjectId, Usage, UserId};

use super::error::Error;
use super::location::Store;
use super::page::QueryPages;
use super::read::{KeyRange, PageRead};

/// Users of a project in ascending byte order of `userId`, page by page.
#[derive(Debug)]
pub struct UserPages {
    pages: QueryPages,
    usage: Arc<Usage>,
}

impl Store {
    /// Queries the user with this `userId`. Eventually consistent.
    pub fn user(&self, project: &ProjectId, user_id: &UserId, usage: Arc<Usage>) -> UserPages {
        let pages = self.pages(PageRead {
            range: KeyRange::Equal(user_id.as_str().to_owned()),
            ..PageRead::of(Partition::of_users(project))
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
            ..PageRead::of(Partition::of_users(project))
        });
        pages.prefetches = page_size.is_none();
        UserPages { pages, usage }
    }
}

impl UserPages {
    /// Reads the next page and calls `visit` with each of its users. Returns `false` after the last
    /// page.
    pub async fn next(
        &mut self,
        visit: &mut (dyn FnMut(UserItem<'_>) + Send),
    ) -> Result<bool, Error> {
        let mut reader = UserReader::new(visit);
        let item = |json: &mut Json<'_>| reader.read_item(json);
        let read = self.pages.read(item, &self.usage).await?;
        let defaulted = reader.defaulted;
        self.usage.add(|totals| totals.defaulted += defaulted);
        Ok(read)
    }
}
