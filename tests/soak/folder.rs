//! A data folder whose typed reads suffer faults: the store of `feedback serve`, over the items of the project, in pages as
//! small as those of the store that speaks HTTP.

use std::sync::Arc;
use std::time::Duration;

use folder::{DataFolder, FolderStore};
use items::{ItemMembers, Partition, Table, TableNames};
use model::Digest;
use serde_json::json;
use store::{CredentialRead, KeyRange, PageBody, PageRead, Reading, TableReader, in_time};
use tables::{Change, TableWriter as _};

use super::folder_faults::FolderFault;
use super::injector::{Injector, Of, Read};
use super::project::{self, Rows};
use crate::support::{credential_of, sha256};
use test_support::Random;

/// The project's tables in a data folder that is deleted in the end. Beside what the requests are for, they hold users of another
/// project, and records of earlier and later years.
#[derive(Debug, Clone)]
pub(super) struct Folder(FolderStore);

/// A folder with faults.
pub(super) struct FaultyFolder {
    folder: Folder,
    injector: Arc<Injector<FolderFault>>,
}

/// Longer than any request waits.
const LATE: Duration = Duration::from_mins(1);
/// The range keys of records that no request is for begin with these.
const OTHER_YEARS: [&str; 2] = ["2025", "2027"];

impl Folder {
    pub(super) async fn create() -> Self {
        let folder = Arc::new(DataFolder::temporary().unwrap());
        let folder_store = FolderStore::open(folder, TableNames::default()).unwrap();
        folder_store.create_missing_tables().await.unwrap();
        let (shards, users) = project::all_rows();
        let users = ["p", "q"].map(|project| with_hash_key(users, "project", project));
        put(&folder_store, Table::Users, &users.concat()).await;
        for (number, shard) in shards.iter().enumerate() {
            let [earlier, later] = OTHER_YEARS.map(|year| in_year(shard, year));
            let records = [&earlier, shard, &later];
            let records =
                records.map(|rows| with_hash_key(rows, "shard", &format!("p#{number:x}")));
            put(&folder_store, Table::Responses, &records.concat()).await;
        }
        Self(folder_store)
    }

    /// Stores the credential of a secret.
    pub(super) async fn authorize(&self, secret: &str) {
        let digest = sha256(secret);
        let mut credential = credential_of("p", project::is_of_key(&digest))["Item"].take();
        credential["digest"] = json!({"S": digest});
        let credentials = [credential.to_string()];
        put(&self.0, Table::Credentials, &credentials).await;
    }

    pub(super) fn with_faults(self, injector: Arc<Injector<FolderFault>>) -> FaultyFolder {
        FaultyFolder {
            folder: self,
            injector,
        }
    }
}

/// Writes these items, whatever is stored.
async fn put(store: &FolderStore, table: Table, items: &[String]) {
    let change = |json: &String| Change {
        key: ItemMembers::of_item(json).unwrap().key(table).unwrap(),
        before: None,
        after: json.clone(),
        guard: &[],
    };
    let changes = items.iter().map(change).collect();
    // The futures of the port stay on their thread, and those of lanes do not.
    let store = store.clone();
    let runtime = tokio::runtime::Handle::current();
    let write = move || runtime.block_on(store.replace(table, changes)).map(drop);
    let written = tokio::task::spawn_blocking(write).await.unwrap();
    written.unwrap();
}

fn with_hash_key(rows: &Rows, name: &str, key: &str) -> Vec<String> {
    let items = rows.iter().map(|(_, row)| {
        let mut row = row.clone();
        row[name] = json!({"S": key});
        row.to_string()
    });
    items.collect()
}

fn in_year(rows: &Rows, year: &str) -> Rows {
    let moved = rows.iter().map(|(at, row)| {
        let at = at.replacen("2026", year, 1);
        let mut row = row.clone();
        row["at"] = json!({"S": at});
        (at, row)
    });
    moved.collect()
}

impl std::fmt::Debug for FaultyFolder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("FaultyFolder")
            .finish_non_exhaustive()
    }
}

impl TableReader for FaultyFolder {
    fn page(&self, read: PageRead) -> Reading<PageBody> {
        let limit = u32::try_from(project::PAGE).unwrap();
        let read = PageRead {
            limit: Some(read.limit.map_or(limit, |asked| asked.min(limit))),
            ..read
        };
        let folder_store = &self.folder.0;
        let Some((fault, random)) = self.injector.next(read_of(&read)) else {
            return folder_store.page(read);
        };
        let operation = read.operation();
        let page = folder_store.page(fault.misread(read.clone()));
        let faulty = befall(fault, random, page, move |page, random| {
            fault.misrepresent(page.as_ref(), &read, random).into()
        });
        in_time(operation, faulty)
    }

    fn credential(&self, digest: Digest) -> Reading<CredentialRead> {
        let read = Read {
            of: Of::Credential,
            is_later: false,
        };
        let credential = self.folder.0.credential(digest);
        let Some((fault, random)) = self.injector.next(read) else {
            return credential;
        };
        let faulty = befall(fault, random, credential, move |found, _| CredentialRead {
            item: found.item.and_then(|item| fault.replace(&item)),
            ..found
        });
        in_time("read a credential", faulty)
    }

    fn concurrent_pages(&self) -> usize {
        self.folder.0.concurrent_pages()
    }

    fn has_index(&self) -> bool {
        self.folder.0.has_index()
    }
}

/// Makes a read suffer a fault: those that any read may suffer, or `damage`.
fn befall<T: Send + 'static>(
    fault: FolderFault,
    mut random: Random,
    read: Reading<T>,
    damage: impl FnOnce(T, &mut Random) -> T + Send + 'static,
) -> Reading<T> {
    // Without the message of a panic.
    let panic = || std::panic::resume_unwind(Box::new("the store panicked"));
    if fault == FolderFault::PanicAtOnce {
        panic();
    }
    Box::pin(async move {
        match fault {
            FolderFault::Error(kind, code) => {
                return Err(store::Error::new(kind, "a typed read", code));
            }
            FolderFault::Delayed => {
                tokio::time::sleep(random.duration_up_to(Duration::from_millis(400))).await;
            }
            FolderFault::Late => tokio::time::sleep(LATE).await,
            FolderFault::Panic => {
                tokio::task::yield_now().await;
                panic();
            }
            _ => {}
        }
        read.await.map(|found| damage(found, &mut random))
    })
}

fn read_of(read: &PageRead) -> Read {
    Read {
        of: match (&read.partition, &read.range) {
            (Partition::Responses(shard), _) => Of::Records(project::shard_of(shard)),
            (Partition::Users(_), KeyRange::Equal(_)) => Of::User,
            (Partition::Users(_), _) => Of::Users,
        },
        is_later: read.after.is_some(),
    }
}
