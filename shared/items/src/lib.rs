//! The format of the items in the three tables (docs/item-format.md), read and written: their keys and shards,
//! and their JSON. Nothing here knows where the tables are.
//!
//! - Requests decode the JSON of a page as they need it, without building an item ([`UserReader`],
//!   [`ResponseReader`]).
//! - A record to write ([`ResponseRecord`], [`UserFacts`]) becomes an item that DynamoDB can store, as text
//!   ([`EncodedItem`]).
//! - An item that is merged is changed attribute by attribute, without decoding what stays ([`ItemMembers`]).

mod encoded_item;
mod findings;
mod item_members;
mod json;
mod records;
mod response_item;
mod size;
mod table;
mod traits;
mod transcode;
mod user_item;

pub use encoded_item::EncodedItem;
pub use findings::{Finding, response_findings, user_findings};
pub use item_members::{ItemMembers, ItemValue};
pub use json::{Json, Scalar};
pub use records::{RecordId, ResponseRecord, UserFacts};
pub use response_item::{ItemDetail, ItemSelection, ResponseItem, ResponseReader, decode_outcome};
pub use size::{MAX_SIZE, check_size, item_size};
pub use table::{ItemKey, Partition, Shard, Table, TableNames};
pub use traits::Traits;
pub use transcode::{append_string, transcode};
pub use user_item::{UserItem, UserReader};
