//! A data folder with known users and records, in small pages, whose reads suffer faults: through its port, and
//! through DynamoDB's protocol (`http_face.rs`).

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use folder::{DataFolder, FolderStore};
use items::{ItemMembers, Partition, Table};
use serde_json::{Value, json};
use store::{CredentialRead, KeyRange, PageBody, PageRead, ReaderFuture, TableReader, in_time};
use tables::{ItemChange, TableWriter as _};
use test_support::Random;

use super::faults::{Face, Fault};
use super::injector::Injector;

/// How many items a page has at most.
const PAGE: u32 = 15;
const USERS: usize = 80;
/// How many records each shard has: last pages that are full, others that are not, shards of one page, and empty
/// ones.
const RECORDS: [usize; 16] = [45, 52, 31, 9, 0, 15, 16, 3, 1, 22, 0, 30, 7, 14, 17, 2];
/// The plans of users and records in turn.
const PLANS: [&str; 2] = ["pro", "free"];
/// The requests are for records of the second year alone.
const YEARS: [u16; 3] = [2025, 2026, 2027];
/// Longer than any request waits.
const LATE: Duration = Duration::from_mins(1);

/// What is asked of a store.
#[derive(Clone)]
pub(super) enum Wanted {
    /// The credential with this digest.
    Credential(String),
    Page(PageRead),
}

/// A read of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) of: Of,
    /// Whether it is for a page after the first one.
    pub(super) is_later: bool,
}

/// What is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Credential,
    User,
    Users,
    /// The records of the shard of this number.
    Records(u64),
}

/// The store of a lane. Its clones are the same store.
#[derive(Clone)]
pub(super) struct FaultyStore {
    folder: FolderStore,
    pub(super) injector: Arc<Injector>,
    /// The pages of the reads through DynamoDB's protocol: all lanes together would keep the folder's readers busy.
    pages: Arc<Mutex<HashMap<String, Vec<u8>>>>,
}

/// Makes a data folder, which is deleted in the end.
pub(super) async fn folder() -> FolderStore {
    let folder = Arc::new(DataFolder::temporary().unwrap());
    let store = FolderStore::open(folder).unwrap();
    store.create_missing_tables().await.unwrap();
    let users = ["p", "q"].map(|project| (0..USERS).map(move |n| user(project, n)));
    put(&store, Table::Users, users.into_iter().flatten()).await;
    let shards = (0..RECORDS.len()).flat_map(|shard| YEARS.map(|year| (shard, year)));
    let records =
        shards.flat_map(|(shard, year)| (0..RECORDS[shard]).map(move |n| record(shard, year, n)));
    put(&store, Table::Responses, records).await;
    store
}

async fn put(store: &FolderStore, table: Table, items: impl Iterator<Item = Value>) {
    let change = |item: Value| {
        let after = item.to_string();
        ItemChange {
            key: ItemMembers::of_item(&after).unwrap().key(table).unwrap(),
            before: None,
            after,
            guard: &[],
        }
    };
    store
        .replace(table, items.map(change).collect())
        .await
        .unwrap();
}

fn user(project: &str, n: usize) -> Value {
    json!({
        "project": {"S": project}, "userId": {"S": format!("user-{n:03}")}, "id": {"S": format!("id-{n}")},
        "name": {"S": format!("Name {n}")},
        "traits": {"M": {"plan": {"S": PLANS[n % 2]}, "seats": {"N": n.to_string()}}},
    })
}

fn record(shard: usize, year: u16, n: usize) -> Value {
    let (month, hour, minute) = (n * 3 / RECORDS[shard] + 1, n / 60, n % 60);
    let mut item = json!({
        "shard": {"S": format!("p#{shard:x}")},
        "at": {"S": format!("{year}-{month:02}-15T{hour:02}:{minute:02}:00.000Z#{shard}")},
        "traits": {"M": {"plan": {"S": PLANS[n % 2]}}},
        "dismissed": {"BOOL": n.is_multiple_of(4)},
    });
    if !n.is_multiple_of(3) {
        item["rating"] = json!({"N": ((n + shard) % 11).to_string()});
    }
    item
}

impl FaultyStore {
    pub(super) fn new(folder: FolderStore, injector: Injector) -> Self {
        Self {
            folder,
            injector: Arc::new(injector),
            pages: Arc::default(),
        }
    }

    /// Returns the body of the response to `GetItem` or to a Query, with this fault.
    pub(super) async fn body(
        &self,
        wanted: Wanted,
        fault: Option<(Fault, Random)>,
    ) -> Result<Vec<u8>, store::Error> {
        let Some((fault, mut random)) = fault else {
            return self.healthy(wanted).await;
        };
        match fault {
            Fault::Error(kind, code) => return Err(store::Error::new(kind, "a read", code)),
            Fault::Delayed => {
                tokio::time::sleep(random.duration_up_to(Duration::from_millis(400))).await;
            }
            Fault::Late => tokio::time::sleep(LATE).await,
            Fault::Panic { .. } => {
                tokio::task::yield_now().await;
                panic_silently();
            }
            _ => {}
        }
        let mut sent = wanted.clone();
        if let (Fault::PageAgain, Wanted::Page(read)) = (fault, &mut sent) {
            read.after = None;
        }
        let body = self.healthy(sent).await?;
        Ok(fault.misrepresent(&body, &wanted, &mut random))
    }

    /// Every secret is that of a credential for all that the project has.
    async fn healthy(&self, wanted: Wanted) -> Result<Vec<u8>, store::Error> {
        let read = match wanted {
            Wanted::Page(read) => read,
            Wanted::Credential(digest) => {
                let may = json!({"SS": ["users", "statistics"]});
                let item = json!({"digest": {"S": digest}, "projects": {"SS": ["p"]}, "may": may, "username": {"S": "u"}});
                return Ok(json!({"Item": item}).to_string().into_bytes());
            }
        };
        let limit = read.limit.map_or(PAGE, |limit| limit.min(PAGE));
        let read = PageRead {
            limit: Some(limit),
            ..read
        };
        let key = format!("{read:?}");
        let known = self.pages.lock().unwrap().get(&key).cloned();
        if let Some(page) = known.filter(|_| self.injector.face() == Face::Http) {
            return Ok(page);
        }
        let page = self.folder.page(read).await?.as_ref().to_vec();
        self.pages.lock().unwrap().insert(key, page.clone());
        Ok(page)
    }

    fn read(&self, wanted: Wanted) -> ReaderFuture<Vec<u8>> {
        let store = self.clone();
        let operation = match &wanted {
            Wanted::Credential(_) => "GetItem",
            Wanted::Page(read) => read.operation(),
        };
        let fault = store.injector.next(Read::of(&wanted));
        if let Some((Fault::Panic { at_once: true }, _)) = fault {
            panic_silently();
        }
        let body = async move { store.body(wanted, fault).await };
        in_time(operation, Box::pin(body))
    }
}

fn panic_silently() {
    std::panic::resume_unwind(Box::new("the store panicked"));
}

impl TableReader for FaultyStore {
    fn page(&self, read: PageRead) -> ReaderFuture<PageBody> {
        let body = self.read(Wanted::Page(read));
        Box::pin(async { Ok(body.await?.into()) })
    }

    fn credential(&self, digest: String) -> ReaderFuture<CredentialRead> {
        let body = self.read(Wanted::Credential(digest));
        Box::pin(async {
            let body: Value = serde_json::from_slice(&body.await?).unwrap();
            let item = match body.as_object() {
                Some(members) => members.get("Item").map(Value::to_string),
                None => Some(body.to_string()),
            };
            Ok(CredentialRead {
                item,
                capacity_units: 1.0,
            })
        })
    }

    fn concurrent_pages(&self) -> usize {
        self.folder.concurrent_pages()
    }

    fn has_index(&self) -> bool {
        self.folder.has_index()
    }
}

impl Read {
    /// Returns what is read.
    pub(super) fn of(wanted: &Wanted) -> Self {
        let Wanted::Page(read) = wanted else {
            return Self {
                of: Of::Credential,
                is_later: false,
            };
        };
        Self {
            of: match (&read.partition, &read.range) {
                (Partition::Users(_), KeyRange::Equal(_)) => Of::User,
                (Partition::Users(_), _) => Of::Users,
                (Partition::Responses(shard), _) => {
                    let (_, digit) = shard.rsplit_once('#').unwrap();
                    Of::Records(u64::from_str_radix(digit, 16).unwrap())
                }
            },
            is_later: read.after.is_some(),
        }
    }
}
