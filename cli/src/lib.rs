//! The `feedback` program: the service for everyone without an AWS account.

pub mod credentials;
mod embedded;
pub mod import;
mod log;
pub mod serve;
pub mod tables;
mod target;

pub use log::init_log;
