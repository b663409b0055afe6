//! Whole items, as commands read, change and write them. The functions, which write nothing and decode pages without
//! building an item, do not depend on this crate; what both know of the format is [`shared::items`].
//!
//! - A record to write ([`ResponseRecord`], [`UserFacts`]) becomes an item that DynamoDB can store ([`ResponseItem`],
//!   [`UserItem`]), as text ([`EncodedItem`]).
//! - An item that is merged is changed attribute by attribute, without decoding what stays ([`Members`]).
//! - An item for the SDK is a map ([`Item`]), which [`decode`] and [`encode`] convert.
//!
//! [`Item`]: shared::items::Item

mod attributes;
mod credential;
mod dynamodb_json;
mod encoded;
mod facts;
mod members;
mod record;
mod size;
mod traits;

pub use attributes::key_of;
pub use credential::{NewCredential, StoredCredential, credential_key};
pub use dynamodb_json::{decode, encode};
pub use encoded::EncodedItem;
pub use facts::{AsOf, UserFacts, UserItem, user_key};
pub use members::{Members, Value};
pub use record::{RecordId, ResponseItem, ResponseRecord};
pub use size::{MAX_SIZE, check_size, item_size};
pub use traits::Traits;
