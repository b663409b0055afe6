//! The format of the items in the three tables (docs/item-format.md): their keys and shards, and how they are
//! decoded. Nothing here knows where the tables are.
//!
//! Requests decode the JSON of a page as they need it, without building an item ([`UserItem`],
//! [`ResponseItem`]). Whole items, and how they are encoded, are for commands: the crate `encoding`, which
//! reads values with the same [`Json`], [`Scalar`] and [`transcode`].

mod credential_item;
mod json;
mod response_item;
mod table;
mod transcode;
mod user_item;

pub use credential_item::CredentialItem;
pub use json::{Json, Scalar};
pub use response_item::{ItemDetail, ItemSelection, ResponseItem, ResponseReader, decode_outcome};
pub use table::{PagedTable, Partition, Shard, Table, Tables};
pub use transcode::{append_string, transcode};
pub use user_item::{UserItem, UserReader};
