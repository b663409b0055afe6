//! The `feedback` program as a process.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod credentials;
mod http;
mod process;
mod serve;
