//! Reads that find nothing, which show whether a function can read its tables.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::{join, join_all};
use items::Partition;
use serde::Serialize;

use crate::error::Error;
use crate::page_read::{KeyRange, PageRead, Projection};
use crate::store::{ABSENT, Store};
use crate::usage::ReadUsage;

/// The result of each read of a check: `ok`, or the code of the store's error. It holds no data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Check(BTreeMap<&'static str, String>);

impl Check {
    pub fn is_ok(&self) -> bool {
        self.0.values().all(|code| code == "ok")
    }
}

impl Store {
    /// Reads what requests for users read, but nobody's: a credential, and a user of the project `-`.
    pub async fn check_users(&self) -> Check {
        let user = PageRead {
            range: KeyRange::Equal(ABSENT.to_owned()),
            ..first_item(Partition::Users(ABSENT.to_owned()))
        };
        self.check(vec![("users", user)]).await
    }

    /// Reads what requests for statistics read, but nobody's: a credential, and a shard of the project
    /// `-`, in the table and in the index, if there is one.
    pub async fn check_responses(&self) -> Check {
        let mut reads = vec![(
            "responses",
            first_item(Partition::Responses("-#0".to_owned())),
        )];
        if self.0.has_index() {
            let outcome = PageRead {
                projection: Projection::Outcome {
                    others: Vec::new(),
                    traits: BTreeSet::new(),
                },
                ..first_item(Partition::Responses("-#0".to_owned()))
            };
            reads.push(("index", outcome));
        }
        self.check(reads).await
    }

    /// Reads an absent credential and these pages, at the same time.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method itself is for one lifetime"
    )]
    async fn check(&self, reads: Vec<(&'static str, PageRead)>) -> Check {
        let usage = ReadUsage::default();
        let pages = reads.into_iter().map(async |(name, read)| {
            let read = self.pages(read).read(|json| json.skip(), &usage).await;
            (name, code_of(read))
        });
        let credential = self.credential(ABSENT.to_owned(), &usage);
        let (credential, mut codes) = join(credential, join_all(pages)).await;
        codes.push(("credentials", code_of(credential)));
        Check(codes.into_iter().collect())
    }
}

fn code_of<T>(read: Result<T, Error>) -> String {
    match read {
        Ok(_) => "ok".to_owned(),
        Err(error) => {
            error.log();
            error.code().to_owned()
        }
    }
}

/// Returns the read of the first item with this hash key.
fn first_item(partition: Partition) -> PageRead {
    PageRead {
        limit: Some(1),
        projection: Projection::Key,
        ..PageRead::of(partition)
    }
}
