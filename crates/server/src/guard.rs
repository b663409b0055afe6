//! Recognizes requests of web pages of other sites, which may not read what this program may.

use std::net::IpAddr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, Uri};

use super::is_loopback;

/// The name by which containers reach this machine.
const OF_CONTAINERS: &str = "host.docker.internal";

const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const DESTINATION: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// Who may send requests to an address.
#[derive(Debug, Clone, Copy)]
pub enum Guard {
    /// Programs, also those in containers of this machine, and no web page.
    Programs,
    /// The page at this port of this machine, and the person in front of it.
    Page {
        /// The port.
        port: u16,
    },
}

impl Guard {
    /// Returns whether a request comes from elsewhere. A page of another site sends an `Origin`; a page whose
    /// own name resolves to this machine sends that name as the `Host`.
    pub fn refuses(self, uri: &Uri, headers: &HeaderMap) -> bool {
        let Some(host) = only(headers, &HOST).filter(|host| self.is_own(host)) else {
            return true;
        };
        match self {
            Self::Programs => headers.contains_key(ORIGIN),
            Self::Page { .. } => {
                let origin = format!("http://{host}");
                let has_origin = headers.contains_key(ORIGIN);
                has_origin && only(headers, &ORIGIN) != Some(&origin) || !is_own_site(uri, headers)
            }
        }
    }

    /// Returns whether a `Host` is a name of this machine that no page of another one has.
    fn is_own(self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else {
            return false;
        };
        let name = authority.host();
        let is_localhost = name.eq_ignore_ascii_case("localhost");
        let address = name.trim_matches(['[', ']']).parse::<IpAddr>();
        let is_own = match self {
            Self::Programs => {
                is_localhost || address.is_ok() || name.eq_ignore_ascii_case(OF_CONTAINERS)
            }
            Self::Page { port } => {
                let is_here = is_localhost || address.is_ok_and(is_loopback);
                is_here && authority.port_u16().unwrap_or(80) == port
            }
        };
        is_own && !host.contains('@')
    }
}

fn is_own_site(uri: &Uri, headers: &HeaderMap) -> bool {
    match only(headers, &SITE) {
        Some("same-origin") => true,
        // The address was typed. Only the page itself may request the API.
        Some("none") => !uri.path().starts_with("/api/"),
        None => !headers.contains_key(SITE),
        Some(_) => opens_the_page(uri, headers),
    }
}

/// Returns whether a link elsewhere, such as one in an e-mail, opens the page. Nobody but the person in
/// front of it sees what it shows.
fn opens_the_page(uri: &Uri, headers: &HeaderMap) -> bool {
    uri.path() == "/"
        && only(headers, &MODE) == Some("navigate")
        && only(headers, &DESTINATION) == Some("document")
}

/// Returns the value of a header that occurs once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    values.next().is_none().then(|| value.to_str().ok())?
}
