//! Recognizes the requests of web pages.

use std::net::IpAddr;

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};

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
    headers.contains_key(ORIGIN) || !(address.is_ok() || name.eq_ignore_ascii_case("localhost"))
}
