//! The `feedback` program as a process.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod connections;
mod credentials;
mod export;
mod faulty_store;
mod http;
mod import;
mod import_formats;
mod operator;
mod process;
mod screens;
mod serve;
