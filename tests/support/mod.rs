//! What the tests share: one service for all of them, and a project of its own for each.

mod apps;
mod client;
mod events;
mod pages;
mod questions;
mod server;
mod stub;
mod tables;
mod transport;

pub(crate) use test_support::stub::credential;
pub(crate) use test_support::{
    Bootstrap, Project, client_of, credential_attributes, map, n, null, s, sha256, shard_of, ss,
};

pub(crate) use apps::{
    FullHost, app_at, app_of, app_of_traits, app_of_users, app_over, app_that_panics, app_with,
    empty, empty_app,
};
pub(crate) use client::{
    Api, Reply, STATISTICS, USERS, basic, filter, gunzip, next, send_raw, status, typed_filter,
};
pub(crate) use events::{call_of, event, handle_event};
pub(crate) use pages::{Item, app_of_page, app_of_shards, client_of_pages, decoded, item, page};
pub(crate) use questions::{
    answer, ask, ask_counting, check, check_ids, check_instants, check_statistics, elements,
    expanded, handle, question, respond, respond_to,
};
pub(crate) use server::{
    BUFFERED, STATISTICS_PROGRAM, USERS_PROGRAM, bootstrap, log_line, logs, named_project,
    new_project, options, service, start,
};
pub(crate) use stub::{
    body_of, call, fails_after_the_first_page, fault, indexed_app_at, recording_app,
    recording_store, silent_store, stub_store,
};
pub(crate) use tables::creation;
pub(crate) use transport::{Lines, Operation, Route, Transport};
