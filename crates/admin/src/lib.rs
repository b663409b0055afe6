//! What commands do to the tables beyond answering requests: imports, exports, erasure, credentials, and
//! creating the tables. An [`AdminStore`] does the same in DynamoDB and in a data folder. Nothing here
//! prints.

mod backend;
mod backoff;
mod check;
mod client;
mod credentials;
mod dynamodb;
mod erase;
mod erase_project;
mod export;
mod import;
mod item;
mod item_facts;
mod known;
mod merge;
mod merge_facts;
mod merge_users;
mod recency;
mod store;
mod tables;

pub use self::store::AdminStore;
pub use check::{Checked, Found};
pub use client::Place;
pub use erase::ResponseOfUser;
pub use erase_project::RecordCounts;
pub use export::{Decoded, ExportPages};
pub use import::Imported;
