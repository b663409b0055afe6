//! What the tests share: one service for all of them, and a project of its own for each.

mod apps;
mod client;
mod events;
mod pages;
mod questions;
mod server;
mod tables;
mod transport;

pub(crate) use test_support::stub::credential;
pub(crate) use test_support::{
    Bootstrap, Project, Reply, client_of, credential_attributes, map, n, null, rows, s, sha256,
    shard_of,
};

pub(crate) use apps::*;
pub(crate) use client::*;
pub(crate) use events::*;
pub(crate) use pages::*;
pub(crate) use questions::*;
pub(crate) use server::*;
pub(crate) use tables::creation;
pub(crate) use transport::*;
