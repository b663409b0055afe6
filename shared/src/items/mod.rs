//! The format of the items in the three tables (docs/item-format.md): their keys and shards, and how they are
//! decoded. Nothing here knows where the tables are.
//!
//! Requests decode the JSON of a page as they need it, without building an item ([`UserRow`],
//! [`ResponseRow`]). Whole items, and how they are encoded, are for commands: the crate `encoding`, which
//! reads values with the same [`Json`], [`Scalar`] and [`transcode`].

mod credential;
mod filter_matches;
mod item_reader;
mod json;
mod response_rows;
mod table;
mod tables;
mod transcode;
mod user_rows;

pub use credential::CredentialRow;
pub(crate) use item_reader::ItemReader;
pub use json::{Json, Scalar};
pub(crate) use response_rows::ResponseReader;
pub use response_rows::{RecordDetail, RecordSelection, ResponseRow, decode_outcome};
pub use table::{PagedTable, Partition, Shard, Table};
pub use tables::Tables;
pub use transcode::{PageText, transcode};
pub(crate) use user_rows::UserReader;
pub use user_rows::UserRow;
