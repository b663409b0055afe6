//! Refuses requests of other web pages: what this program may read, they may not.

use std::net::IpAddr;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};

const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const DESTINATION: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// Returns whether a request comes from elsewhere than the page on this port, and the person in front of
/// it. A page whose own name resolves to this machine sends that name as the `Host`.
pub(super) fn is_foreign(head: &Parts, port: u16) -> bool {
    let headers = &head.headers;
    let Some(host) = only(headers, &HOST).filter(|host| is_own(host, port)) else {
        return true;
    };
    let origin = format!("http://{host}");
    let own_origin = !headers.contains_key(ORIGIN) || only(headers, &ORIGIN) == Some(&origin);
    let own_site = match only(headers, &SITE) {
        Some("same-origin") => true,
        // An address that was typed; an answer of the API is for the page alone.
        Some("none") => !head.uri.path().starts_with("/api/"),
        None => !headers.contains_key(SITE),
        Some(_) => opens_the_page(head),
    };
    !(own_origin && own_site)
}

/// Returns whether a link elsewhere, such as one in an e-mail, opens the page. Nobody but the person in
/// front of it sees what it shows.
fn opens_the_page(head: &Parts) -> bool {
    head.uri.path() == "/"
        && only(&head.headers, &MODE) == Some("navigate")
        && only(&head.headers, &DESTINATION) == Some("document")
}

fn is_own(host: &str, port: u16) -> bool {
    let Ok(authority) = host.parse::<Authority>() else {
        return false;
    };
    let name = authority.host();
    let address = name.trim_matches(['[', ']']).parse::<IpAddr>();
    let loopback = address.is_ok_and(|address| address.is_loopback());
    authority.port_u16().unwrap_or(80) == port
        && (loopback || name == "localhost")
        && !host.contains('@')
}

/// Returns the value of a header that occurs once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    values.next().is_none().then(|| value.to_str().ok())?
}

pub(super) fn refusal() -> Response<Body> {
    let mut response = Response::new(Body::from("This address serves its own page alone.\n"));
    *response.status_mut() = StatusCode::FORBIDDEN;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
