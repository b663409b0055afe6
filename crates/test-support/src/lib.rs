//! What the tests of several crates and the benchmarks put in the places of AWS: [`stub`] speaks DynamoDB's
//! protocol and answers as a script says, [`in_process`] without a socket, [`responses`] reads records as
//! DynamoDB does, with its limits, [`Bootstrap`] plays Lambda's Runtime API for one of the functions'
//! programs, and [`Project`] writes items to any store as another program would, with the SDK alone. Nothing
//! here uses the project's own code, so that what it proves does not depend on what it tests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::format_push_string,
    clippy::missing_panics_doc
)]

pub mod in_process;
mod project;
mod random;
pub mod responses;
mod runtime_api;
pub mod stub;
mod web;

pub use project::{Project, client_of, map, n, null, s, sha256, shard_of};
pub use random::Random;
pub use runtime_api::{Bootstrap, Reply};
pub use web::{listen, serve};
