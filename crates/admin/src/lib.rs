//! What commands do to the tables beyond answering requests: imports, exports, erasure, credentials, and
//! creating the tables. An [`AdminStore`] does the same in DynamoDB and in a data folder. Nothing here
//! prints.

mod admin_store;
mod backoff;
mod check;
mod client;
mod credentials;
mod dynamodb;
mod erase;
mod export;
mod import;
mod item;
mod known;
mod merge;
mod recency;

pub use admin_store::AdminStore;
pub use check::{Checked, Found};
pub use client::Place;
pub use erase::{RecordCounts, ResponseOfUser};
pub use export::{Decoded, ExportPages};
pub use import::Imported;
