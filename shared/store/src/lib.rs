//! Reads the service's three DynamoDB tables (docs/item-format.md). Nothing here writes,
//! and a [`Store`] does not expose its client.
//!
//! - Records are read with eventually consistent Queries, whole items with consistent ones, and credentials
//!   with a consistent `GetItem`. All names are placeholders, since `at`, `name` and `project` are reserved
//!   words. Statistics project what they need; a trait that is filtered twice is projected once, because
//!   DynamoDB refuses paths that overlap.
//! - A list requests its next page before it decodes the current one: it finds the key that a page ends with
//!   in the page's tail. A Query with a limit does not, because the first page may be enough; nor do
//!   statistics, which have several Queries in flight anyway.
//! - Some faults of a response are no malformed JSON, and are refused as well: a page that does not end after
//!   the key that it begins after, which is an earlier page again, an item without its key, users that are
//!   not in the order of their keys, and a body that is not that of its checksum.
//! - The SDK retries twice, except throttled Queries, which their callers repeat for as long as there is
//!   time. An attempt has 5 seconds and an operation 15. The SDK gives all clients of a process one budget of
//!   100 retries at a time, so that failing lists left statistics none; here, each table has a budget of its
//!   own.
//! - A function reads region and credentials from its environment, where Lambda puts them. The SDK's search
//!   through profiles, containers and roles, which `feedback` uses, would add a fifth to a function's start
//!   and a sixth to its size.

mod body;
mod capacity;
mod check;
mod checksum;
mod connection;
mod credentials;
mod dynamodb;
mod error;
mod items;
mod location;
mod page;
mod read;
mod responses;
mod users;

use std::time::Duration;

pub use check::Check;
pub use connection::{Https, timeouts};
pub use error::{Error, ErrorKind};
pub use items::ItemPages;
pub use location::Store;
pub use read::{Attributes, KeyRange, LocalRead, LocalStore, PageRead};
pub use responses::ResponsePage;
pub use users::UserPages;

/// How long a request that has no deadline, or a long one, waits for its first page, or the next one, while
/// the store throttles.
pub const PATIENCE: Duration = Duration::from_secs(25);

/// Returns how long to wait after a read that was throttled for this time in a row, the first being 1.
pub fn pause(throttled: u32) -> Duration {
    const FIRST: Duration = Duration::from_millis(50);
    FIRST * (1 << throttled.saturating_sub(1).min(4))
}
