//! How many pages of a data folder a request for statistics reads at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use service::App;
use store::{CredentialRead, PageBody, PageRead, ReaderFuture, Store, TableReader};
use test_support::stub::credential_of;
use tokio::sync::Barrier;
use tokio::time::{sleep, timeout};

use crate::support::{Operation, ask};

/// A data folder with two pages of each shard, of which it returns the first when those of all were asked for.
struct BusyFolder {
    first_pages: Arc<Barrier>,
    later_pages: Arc<[AtomicUsize; 2]>,
}

impl TableReader for BusyFolder {
    fn page(&self, read: PageRead) -> ReaderFuture<PageBody> {
        let first_pages = self.first_pages.clone();
        let later_pages = self.later_pages.clone();
        Box::pin(async move {
            let mut page = json!({"Items": [], "Count": 0, "ScannedCount": 0});
            if read.after.is_none() {
                first_pages.wait().await;
                let at = "2026-03-01T00:00:00.000Z#1";
                page["LastEvaluatedKey"] =
                    json!({"shard": {"S": read.partition.key()}, "at": {"S": at}});
            } else {
                let [now, most] = &*later_pages;
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                sleep(Duration::from_millis(1)).await;
                now.fetch_sub(1, Ordering::SeqCst);
            }
            Ok(page.to_string().into_bytes().into())
        })
    }

    fn credential(&self, digest: String) -> ReaderFuture<CredentialRead> {
        let input = json!({"Key": {"digest": {"S": digest}}});
        Box::pin(async move {
            Ok(CredentialRead {
                item: Some(credential_of(&input, "p", true)["Item"].to_string()),
                capacity_units: 1.0,
            })
        })
    }

    fn concurrent_pages(&self) -> usize {
        4
    }

    fn has_index(&self) -> bool {
        true
    }
}

#[tokio::test(start_paused = true)]
async fn the_first_pages_of_all_shards_are_asked_for_together_and_later_ones_four_at_a_time() {
    let later_pages = Arc::<[AtomicUsize; 2]>::default();
    let app = App::new(Store::new(Arc::new(BusyFolder {
        first_pages: Arc::new(Barrier::new(16)),
        later_pages: later_pages.clone(),
    })));
    let asking = ask(
        &app,
        Operation::Statistics,
        "startDate=2026-01-01&endDate=2026-07-20",
    );
    let reply = timeout(Duration::from_mins(1), asking).await.unwrap();
    assert_eq!(reply.json()["data"][0]["attributes"]["displays"], 0);
    assert_eq!(later_pages[1].load(Ordering::SeqCst), 4);
}
