//! The data folder: the three tables in a `SQLite` file.
//!
//! What this project reads and writes is typed: an [`Engine`] is the [`LocalStore`] of the API, and reads and writes items
//! for commands, with SQL on the rows that dynoxide keeps for each item. Programs that speak DynamoDB's protocol use the same
//! tables through [`router`], which dynoxide answers. dynoxide also creates the tables, and writes those with an index or a
//! stream, which it maintains.
//!
//! A [`DataFolder`] is locked by the process that uses it; only [`back_up`] reads one that is in use.
//!
//! [`LocalStore`]: shared::store::LocalStore

mod backup;
mod database;
mod endpoint;
pub mod files;
mod folder;
mod items;
mod layout;
mod local;
mod operations;
mod page;
mod readers;
mod worker;
mod writer;

pub use backup::{Copied, back_up};
pub use database::Engine;
pub use endpoint::router;
pub use folder::DataFolder;
pub use items::Compared;
pub use readers::max_readers;
