//! The pages that requests and commands read: users and whole items one after the other, and the response records of
//! shards.

use std::collections::BTreeSet;
use std::sync::Arc;

use items::{
    ItemDetail, ItemSelection, Json, Partition, ResponseItem, ResponseReader, Scalar, Shard,
    UserItem, UserReader,
};
use model::{ProjectId, Timestamp, UserId};
use tokio::sync::mpsc::{Receiver, channel};
use tokio::task::JoinSet;
use tracing::Instrument;

use crate::error::{Error, ErrorKind};
use crate::fetched_page::FetchedPage;
use crate::page_read::{KeyRange, PageRead, Projection};
use crate::store::Store;
use crate::table_reader::TableReader;
use crate::usage::ReadUsage;

/// Users of a project in ascending byte order of `userId`, page by page.
pub struct UserPages {
    pages: QueryPages,
    usage: Arc<ReadUsage>,
}

impl Store {
    /// Queries the user with this `userId`. Eventually consistent.
    pub fn user(&self, project: &ProjectId, user_id: &UserId, usage: Arc<ReadUsage>) -> UserPages {
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
        usage: Arc<ReadUsage>,
    ) -> UserPages {
        let first = PageRead {
            after: after.map(|user_id| user_id.as_str().to_owned()),
            limit: page_size,
            ..PageRead::of(Partition::of_users(project))
        };
        // Of a Query with a limit, the first page may be enough.
        let reads_ahead = page_size.is_none();
        let ahead = reads_ahead.then(|| PagesAhead::start(self.0.clone(), first.clone()));
        let pages = QueryPages {
            ahead,
            ..self.pages(first)
        };
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

/// The items of a partition, page by page. The reads are strongly consistent, so they are complete.
pub struct ItemPages(QueryPages);

impl Store {
    pub fn items(
        &self,
        partition: Partition,
        range: KeyRange,
        projection: Projection,
    ) -> ItemPages {
        ItemPages(self.pages(PageRead {
            range,
            projection,
            is_consistent: true,
            ..PageRead::of(partition)
        }))
    }
}

impl ItemPages {
    /// Reads the next page, and calls `item` with each of its items in DynamoDB's JSON; `None` means that it
    /// is damaged. Returns `false` after the last page. After an error, the same page is next.
    pub async fn next(&mut self, mut item: impl FnMut(&str) -> Option<()>) -> Result<bool, Error> {
        let read = |json: &mut Json<'_>| item(json.text()?);
        self.0.read(read, &ReadUsage::default()).await
    }
}

/// The pages of a Query, one after the other.
pub(crate) struct QueryPages {
    tables: Arc<dyn TableReader>,
    /// The read of the next page; `None` after the last one.
    next: Option<PageRead>,
    /// `None` if each page is requested when it is read. Concurrent Queries overlap without this.
    ahead: Option<PagesAhead>,
}

impl Store {
    pub(crate) fn pages(&self, first: PageRead) -> QueryPages {
        QueryPages {
            tables: self.0.clone(),
            next: Some(first),
            ahead: None,
        }
    }
}

impl QueryPages {
    /// Reads the next page, and calls `item` with each of its items; `None` means that the item is malformed.
    /// Returns `false` after the last page. A page that cannot be fetched is still the next one.
    pub(crate) async fn read(
        &mut self,
        item: impl FnMut(&mut Json<'_>) -> Option<()>,
        usage: &ReadUsage,
    ) -> Result<bool, Error> {
        let Some(next) = &mut self.next else {
            return Ok(false);
        };
        let page = match &mut self.ahead {
            Some(ahead) => ahead.next(next.operation()).await?,
            None => FetchedPage::fetch(self.tables.clone(), next.clone()).await?,
        };
        match page.read(item, usage)? {
            Some(last_key) => next.after = Some(last_key),
            None => self.next = None,
        }
        Ok(true)
    }
}

/// Pages that are fetched while their reader decodes the one before, so that two at most are in memory. Dropping it
/// cancels the request.
struct PagesAhead {
    pages: Receiver<Result<FetchedPage, Error>>,
    _fetching: JoinSet<()>,
}

impl PagesAhead {
    fn start(tables: Arc<dyn TableReader>, mut read: PageRead) -> Self {
        let (sender, pages) = channel(1);
        let mut fetching = JoinSet::new();
        let fetch = async move {
            // There is room once the reader has taken the page before.
            while let Ok(room) = sender.reserve().await {
                let page = FetchedPage::fetch(tables.clone(), read.clone()).await;
                let last_key = page.as_ref().ok().map(FetchedPage::last_key);
                room.send(page);
                match last_key {
                    Some(Some(last_key)) => read.after = Some(last_key),
                    Some(None) => return,
                    // The same page is next.
                    None => {}
                }
            }
        };
        fetching.spawn(fetch.in_current_span());
        Self {
            pages,
            _fetching: fetching,
        }
    }

    async fn next(&mut self, operation: &'static str) -> Result<FetchedPage, Error> {
        let page = self.pages.recv().await;
        // A runtime of one thread would otherwise send the next request only when this page is decoded.
        tokio::task::yield_now().await;
        page.unwrap_or_else(|| Err(Error::new(ErrorKind::Internal, operation, "panicked")))
    }
}

/// A page of response records that is still to be decoded.
#[derive(Debug)]
pub struct ResponsePage(FetchedPage);

impl Store {
    /// Queries the records of a shard after this range key, in the index of outcomes if there is one and it
    /// has all that is selected. Eventually consistent.
    pub async fn responses(
        &self,
        selection: &ItemSelection,
        shard: Shard,
        after: Option<String>,
    ) -> Result<ResponsePage, Error> {
        let period = &selection.period;
        let read = PageRead {
            range: KeyRange::of_responses(Some(period.start), Some(period.end)),
            after,
            projection: projection(selection),
            ..PageRead::of(Partition::of_responses(&selection.project, shard))
        };
        Ok(ResponsePage(
            FetchedPage::fetch(self.0.clone(), read).await?,
        ))
    }

    /// Queries the first record of a shard, whatever is selected of it, where [`Store::responses`] reads the
    /// others. Returns when it was created, unless there is none, or its key does not say so. Eventually consistent.
    pub async fn first_response(
        &self,
        selection: &ItemSelection,
        shard: Shard,
        usage: &ReadUsage,
    ) -> Result<Option<Timestamp>, Error> {
        let mut projection = projection(selection);
        if let Projection::Outcome { others, .. } = &mut projection
            && !others.iter().any(|name| name == "at")
        {
            others.push("at".to_owned());
        }
        let mut first = self.pages(PageRead {
            limit: Some(1),
            projection,
            ..PageRead::of(Partition::of_responses(&selection.project, shard))
        });
        let mut created = None;
        let item = |json: &mut Json<'_>| {
            json.object(|json, name| {
                if name != "at" {
                    return json.skip_typed();
                }
                if let Scalar::String(at) = Scalar::read(json)? {
                    let (instant, _) = at.split_once('#').unwrap_or((&at, ""));
                    created = instant.parse().ok();
                }
                Some(())
            })
        };
        first.read(item, usage).await?;
        Ok(created)
    }
}

fn projection(selection: &ItemSelection) -> Projection {
    let ItemSelection {
        filters, segments, ..
    } = selection;
    let others: &[&str] = match selection.detail {
        ItemDetail::Respondent => &["at", "userId"],
        ItemDetail::Traits => &["traits"],
        // Without intervals, the outcome is enough.
        ItemDetail::Outcome if segments.edges.is_empty() => &[],
        ItemDetail::Outcome => &["at"],
    };
    let filtered = filters.iter().map(|filtered| filtered.name.as_str());
    let grouped = segments
        .group_by
        .as_ref()
        .map(|group_by| group_by.name.as_str());
    let traits = match selection.detail {
        ItemDetail::Traits => BTreeSet::new(),
        _ => filtered.chain(grouped).map(str::to_owned).collect(),
    };
    Projection::Outcome {
        others: others.iter().map(|name| (*name).to_owned()).collect(),
        traits,
    }
}

impl ResponsePage {
    /// Calls `visit` with each record of the page that passes the filters of the selection by which it was queried.
    /// Skips records that cannot be decoded. Returns the range key after which the next page begins; `None` on the last
    /// page.
    pub fn read(
        &self,
        selection: &ItemSelection,
        usage: &ReadUsage,
        visit: &mut dyn FnMut(ResponseItem<'_>),
    ) -> Result<Option<String>, Error> {
        let mut reader = ResponseReader::new(selection, visit);
        let item = |json: &mut Json<'_>| reader.read_item(json);
        let last_key = self.0.read(item, usage)?;
        usage.add(|totals| totals.skipped += reader.damaged);
        Ok(last_key)
    }
}
