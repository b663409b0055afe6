//! The commands of `feedback`, a file or folder each; `main.rs` has the completions.

pub mod backup;
pub mod check;
mod command_store;
pub mod create_tables;
mod credential_files;
pub mod credentials;
pub mod erase;
pub mod export;
pub mod health;
pub mod import;
pub mod mcp;
mod output_file;
mod record_files;
pub mod serve;
mod standard_input;
pub mod stats;
