//! Reads that find nothing, which show whether a function can read its tables.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::{OptionFuture, join, join3};
use model::items::{PagedTable, Partition};
use model::{Digest, Usage};
use serde::Serialize;

use super::read::{Attributes, Consistency, KeyRange, PageRead};
use super::{Error, Location, Store};

/// What became of each read of a check: `ok`, or the code of the store's error. It holds no data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Check(BTreeMap<&'static str, String>);

impl Store {
    /// Reads what requests for users read, but nobody's: a credential, and a user of the project `-`.
    pub async fn check_users(&self) -> Check {
        let user = PageRead {
            range: KeyRange::Equal("-".to_owned()),
            ..first_item(PagedTable::Users, "-")
        };
        let (credentials, users) = join(self.absent_credential(), self.page_of(user)).await;
        Check::of([("credentials", credentials), ("users", users)])
    }

    /// Reads what requests for statistics read, but nobody's: a credential, and a shard of the project
    /// `-`, in the table and in the index, if there is one.
    pub async fn check_responses(&self) -> Check {
        let shard = first_item(PagedTable::Responses, "-#0");
        let has_index = match &self.0 {
            Location::DynamoDb(store) => store.index.is_some(),
            Location::Local(_) => true,
        };
        let indexed = has_index.then(|| PageRead {
            attributes: Attributes::Outcome {
                others: Vec::new(),
                traits: BTreeSet::new(),
            },
            ..shard.clone()
        });
        let index = OptionFuture::from(indexed.map(|read| self.page_of(read)));
        let (credentials, responses, index) =
            join3(self.absent_credential(), self.page_of(shard), index).await;
        let tables = [("credentials", credentials), ("responses", responses)];
        Check::of(
            tables
                .into_iter()
                .chain(index.map(|index| ("index", index))),
        )
    }

    async fn absent_credential(&self) -> Result<(), Error> {
        let usage = Usage::default();
        self.credential(&Digest::ABSENT, &usage).await.map(drop)
    }

    async fn page_of(&self, read: PageRead) -> Result<(), Error> {
        let (mut pages, usage) = (self.pages(read), Usage::default());
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method itself is for one lifetime"
        )]
        let read = pages.read(|item| item.skip(), &usage);
        read.await.map(drop)
    }
}

impl Check {
    fn of(reads: impl IntoIterator<Item = (&'static str, Result<(), Error>)>) -> Self {
        let outcome = |read: Result<(), Error>| match read {
            Ok(()) => "ok".to_owned(),
            Err(error) => {
                error.log();
                error.code().to_owned()
            }
        };
        Self(
            reads
                .into_iter()
                .map(|(name, read)| (name, outcome(read)))
                .collect(),
        )
    }
}

/// Returns the read of the first item with this hash key.
fn first_item(table: PagedTable, key: &str) -> PageRead {
    PageRead {
        partition: Partition {
            table,
            key: key.to_owned(),
        },
        range: KeyRange::All,
        after: None,
        limit: Some(1),
        attributes: Attributes::Key,
        consistency: Consistency::Eventual,
    }
}
