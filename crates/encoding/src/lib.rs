//! Whole items, as commands read, change and write them. The functions, which write nothing and decode pages
//! without building an item, do not depend on this crate; what both know of the format is [`model::items`].
//!
//! - A record to write ([`ResponseRecord`], [`UserFacts`]) becomes an item that DynamoDB can store, as text
//!   ([`EncodedItem`]).
//! - An item that is merged is changed attribute by attribute, without decoding what stays ([`ItemMembers`]).

mod encoded;
mod findings;
mod json;
mod members;
mod record;
mod size;
mod stored_credential;
mod traits;
mod user_facts;

pub use encoded::EncodedItem;
pub use findings::{Finding, findings};
pub use members::{ItemMembers, ItemValue};
pub use record::{RecordId, ResponseRecord};
pub use size::{MAX_SIZE, check_size, item_size};
pub use stored_credential::{NewCredential, StoredCredential, credential_key};
pub use traits::Traits;
pub use user_facts::{AsOf, UserFacts, user_key};
