//! End-to-end tests: over HTTP against the service that `feedback serve` starts, with API Gateway's events
//! against the functions' programs, and against their handlers over a store within this process. Items are
//! written as docs/item-format.md specifies for other programs, never with the project's own code.
#![recursion_limit = "256"]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod support;

mod access_matrix;
mod access_times;
mod base_path;
mod busy;
mod checks;
mod comparisons;
mod compression;
mod confidentiality;
mod conformance;
mod connections;
mod credential_headers;
mod credentials;
mod csv;
mod decimals;
mod decoding;
mod describe_traits;
mod dynamodb;
mod errors;
mod events;
mod files;
mod filters;
mod first_pages;
mod group_limits;
mod groups;
mod ids;
mod index;
mod index_figures;
mod intervals;
mod isolation;
mod lambda;
mod logs;
mod long_periods;
mod model;
mod openapi_description;
mod paging;
mod parameters;
mod period_words;
mod periods;
mod prefetching;
mod private_traits;
mod raw_queries;
mod recorded;
mod refused_filters;
mod respondents;
mod sample_data;
mod second_store;
mod soak;
mod statistics;
mod store_errors;
mod store_faults;
mod store_requests;
mod stored_users;
mod streaming;
mod summaries;
mod transports;
mod uncertainty;
mod users;
mod waiting;
mod windows;
mod writes;
