//! The format of the items in the three tables (docs/item-format.md): their keys and shards, how they are encoded and
//! decoded, and their sizes. Nothing here knows where the tables are.
//!
//! Requests decode the JSON of a page as they need it, without building an item ([`UserRow`], [`ResponseRow`]). What reads
//! and writes whole items has them as [`Item`]s, and their content as [`ResponseRecord`], [`UserFacts`] and [`Credential`].
//!
//! [`Credential`]: crate::model::Credential

mod attributes;
mod credential;
mod dynamodb_json;
mod encoded;
mod facts;
mod filter_matches;
mod json;
mod members;
mod record;
mod response_rows;
mod size;
mod table;
mod traits;
mod transcode;
mod user_rows;

pub use attributes::{Item, boolean, key_of, parsed, string};
pub use credential::{NewCredential, StoredCredential, credential_key, decode_credential};
pub use dynamodb_json::{decode, encode, value_json};
pub use encoded::EncodedItem;
pub use facts::{AsOf, UserFacts, UserItem, user_key};
pub(crate) use json::{ItemReader, Json, Scalar};
pub use members::{Members, Value};
pub use record::{RecordId, ResponseItem, ResponseRecord, creation_of};
pub(crate) use response_rows::ResponseReader;
pub use response_rows::{RecordDetail, RecordSelection, ResponseRow};
pub use size::{MAX_SIZE, check_size, item_size};
pub use table::{PagedTable, Partition, SHARDS, Table};
pub use traits::Traits;
pub use transcode::PageText;
pub(crate) use user_rows::UserReader;
pub use user_rows::UserRow;
