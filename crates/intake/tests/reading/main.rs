//! What becomes of the records of files: imported as what, or rejected or refused for what reason.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod formats;
mod ids;
mod import;
mod limits;
mod pages;
mod quotes;
mod rejected;
mod stars;
mod transcripts;
mod workbooks;
