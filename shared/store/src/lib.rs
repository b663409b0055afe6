//! Reads the service's three DynamoDB tables (docs/item-format.md). Nothing here writes,
//! and a [`Store`] does not expose its client.
//!
//! - Records are read with eventually consistent Queries, whole items with consistent ones, and credentials
//!   with a consistent `GetItem`. All names are placeholders, since `at`, `name` and `project` are reserved
//!   words. Statistics project what they need; a trait that is filtered twice is projected once, because
//!   DynamoDB refuses paths that overlap.
//! - A list reads one page ahead, whose key it finds in the tail of the page before. A Query with a limit does not,
//!   nor do statistics, which have several Queries in flight anyway.
//! - Some faults of a response are no malformed JSON, and are refused as well: a page that does not end after
//!   the key that it begins after, which is an earlier page again, one whose `Count` is not that of its items, an item
//!   without its key, users that are not in the order of their keys, a credential of another digest, and a body that is
//!   not that of its checksum.
//! - That keys of responses rise, and lie in the shard and the period that was asked for, is not checked. It would take
//!   3 to 4 % more instructions a record where its key is read, and 26 to 46 % and twice the bytes where it is not.
//! - The SDK retries twice, except throttled Queries, which their callers repeat for as long as there is
//!   time. An attempt has 5 seconds and an operation 15. The SDK gives all clients of a process one budget of
//!   100 retries at a time, so that failing lists left statistics none; here, each table has a budget of its
//!   own.
//! - A function reads region and credentials from its environment, where Lambda puts them. The SDK's search
//!   through profiles, containers and roles, which `feedback` uses, would add a fifth to a function's start
//!   and a sixth to its size.

mod check;
mod connection;
mod dynamodb;
mod error;
mod fetched_page;
mod page_read;
mod pages;
mod store;
mod table_reader;
mod usage;

pub use check::Check;
pub use connection::{Https, PATIENCE, READ_TIMEOUT, pause, timeouts};
pub use error::{Error, ErrorKind};
pub use page_read::{KeyRange, PageRead, Projection};
pub use pages::{ItemPages, ResponsePage, UserPages};
pub use store::Store;
pub use table_reader::{CredentialRead, PageBody, ReaderFuture, TableReader, in_time};
pub use usage::{ReadUsage, Totals};
