//! The commands of `feedback`, a file or folder each.

pub mod backup;
mod client;
pub mod completions;
mod confirm;
pub mod credentials;
pub mod dashboard;
pub mod erase;
pub mod export;
pub mod health;
pub mod import;
pub mod manual;
pub mod serve;
pub mod stats;
mod stdin;
pub mod tables;
pub mod users;
