//! Runs the `feedback` program as a process and checks its output, exit codes and effects.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod access_key;
mod backup;
#[cfg(target_os = "linux")]
mod backup_failures;
mod check;
mod client_errors;
#[cfg(target_os = "linux")]
mod clock;
mod completions;
mod connections;
mod crash;
mod credential_files;
mod credentials;
mod erase;
mod erase_all;
mod export;
mod faulty_store;
mod forwarding;
mod health;
mod help;
mod http;
mod import_faults;
mod import_sources;
mod import_stores;
mod layout;
mod linked_files;
mod mcp;
mod operator;
mod outcome;
mod outcomes;
mod owners;
mod page;
mod place;
mod privacy;
mod process;
mod pty;
mod secrets;
mod serve;
mod serve_files;
#[cfg(target_os = "linux")]
mod service_log;
mod shutdown;
#[cfg(target_os = "linux")]
mod skipped;
mod socket;
#[cfg(target_os = "linux")]
mod stalled;
mod stats;
mod stats_csv;
mod stats_data;
mod stats_files;
mod stats_widths;
mod store_errors;
mod store_faults;
mod tables;
mod temporary_folders;
mod terminal;
mod transcripts;
mod unwritable_folders;
