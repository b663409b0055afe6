//! The `feedback` program: the whole service for everyone without an AWS account, and the commands
//! that manage its data, there or on AWS.

mod asset;
pub mod commands;
mod dashboard;
mod embedded;
mod files;
mod log;
mod signals;
mod store;
mod text;

pub use log::init_log;
pub use text::printable;
