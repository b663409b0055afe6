//! What the tests share: one service for all of them, and a project of its own for each.

mod client;
mod project;
mod server;

pub(crate) use client::{Api, Reply, basic, problems};
pub(crate) use project::{Project, map, n, null, s, sha256, shard_of};
pub(crate) use server::{log_line, logs, options, service};
