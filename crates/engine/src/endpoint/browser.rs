//! Recognizes the requests of web pages.

use std::net::IpAddr;

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};

/// The names that no web page of another machine has: this machine's own, and the one by which its containers
/// reach it.
const LOCAL: [&str; 2] = ["localhost", "host.docker.internal"];

/// Returns whether a web page sent the request. A page of another site sends an `Origin`; a page whose
/// own name resolves to this machine sends that name as the `Host`.
pub(super) fn sent(headers: &HeaderMap) -> bool {
    let host = headers
        .get(HOST)
        .and_then(|host| host.to_str().ok())
        .unwrap_or_default();
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name
        .trim_start_matches('[')
        .trim_end_matches(']')
        .parse::<IpAddr>();
    let is_local = address.is_ok() || LOCAL.iter().any(|local| name.eq_ignore_ascii_case(local));
    headers.contains_key(ORIGIN) || !is_local
}
