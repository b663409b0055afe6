//! Whole items, as commands read, change and write them. The functions, which write nothing and decode pages
//! without building an item, do not depend on this crate; what both know of the format is [`model::items`].
//!
//! - A record to write ([`ResponseRecord`], [`UserFacts`]) becomes an item that DynamoDB can store, as text
//!   ([`EncodedItem`]).
//! - An item that is merged is changed attribute by attribute, without decoding what stays ([`ItemMembers`]).

mod credential;
mod encoded_item;
mod findings;
mod item_members;
mod records;
mod traits;

pub use credential::{NewCredential, StoredCredential, credential_key};
pub use encoded_item::{EncodedItem, MAX_SIZE, item_size};
pub use findings::{Finding, findings};
pub use item_members::{ItemMembers, ItemValue};
pub use records::{AsOf, RecordId, ResponseRecord, UserFacts, user_key};
pub use traits::Traits;
