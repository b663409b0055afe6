//! The `feedback` program: the service for everyone without an AWS account.

pub mod client;
mod confirm;
pub mod credentials;
mod embedded;
pub mod erase;
pub mod export;
pub mod import;
mod log;
pub mod serve;
pub mod stats;
pub mod tables;
mod target;
pub mod users;

pub use log::init_log;
