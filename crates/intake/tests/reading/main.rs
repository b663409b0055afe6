//! What becomes of the records of files: imported as what, or rejected or refused for what reason.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod campaigns;
mod dates;
mod formats;
mod ids;
mod import;
mod pages;
mod paths;
mod plans;
mod quotes;
mod ratings;
mod records;
mod refusals;
mod rejected;
mod senders;
