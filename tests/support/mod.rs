//! What the tests share: one service for all of them, and a project of its own for each.

mod bootstrap;
mod client;
mod pages;
mod project;
mod server;
mod stub;

pub(crate) use bootstrap::{BUFFERED, Bootstrap, STATISTICS_PROGRAM, USERS_PROGRAM, asking};
pub(crate) use client::{
    Api, Reply, STATISTICS, USERS, basic, event, filter, problem, problems, send_raw, status,
};
pub(crate) use pages::{Item, Pages, item, page, serve_pages};
pub(crate) use project::{Project, client_of, map, n, null, s, sha256, shard_of};
pub(crate) use server::{log_line, logs, options, service};
pub(crate) use stub::{
    Script, app_at, app_over, app_that_panics, ask_statistics, ask_users, call, credential,
    fails_on_the_way, fault, listen, stub_store,
};
