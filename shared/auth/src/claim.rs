//! What the headers of a request claim.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};

use crate::credential::{Credential, Permission};
use crate::secret::Secret;

const AUTH_KEY: &str = "authkey";

/// The credential that a request claims to have.
pub(crate) struct Claim {
    pub(crate) secret: Secret,
    /// `None` if the scheme has none, or if it is the secret.
    username: Option<String>,
}

impl Claim {
    /// Reads the headers of a request to the operation of this permission; returns `None` if they claim nothing, or if
    /// it is unclear what.
    pub(crate) fn of(headers: &HeaderMap, operation: Permission) -> Option<Self> {
        if operation == Permission::Statistics && headers.contains_key(AUTH_KEY) {
            return Self::of_secret(sole(headers.get_all(AUTH_KEY))?.as_bytes());
        }
        let basic = authorization(headers, "Basic");
        if basic.is_empty() {
            return Self::of_secret(sole(authorization(headers, "Bearer"))?);
        }
        let (username, password) = basic_parts(sole(basic)?)?;
        if let ("", secret) | (secret, "") = (&*username, &*password) {
            // It is sent without a username.
            return Self::of_secret(secret);
        }
        match operation {
            Permission::Statistics => Self::of_secret(username),
            Permission::Users => Some(Self {
                secret: Secret::new(password)?,
                username: Some(username),
            }),
        }
    }

    fn of_secret(secret: impl Into<Vec<u8>>) -> Option<Self> {
        let secret = Secret::new(secret)?;
        Some(Self {
            secret,
            username: None,
        })
    }

    /// Returns whether no other username is claimed than that of this credential.
    pub(crate) fn has_username_of(&self, credential: &Credential) -> bool {
        match (&self.username, credential.username()) {
            (Some(claimed), Some(username)) => claimed == username.as_str(),
            _ => true,
        }
    }
}

/// Returns the only value. Of two, it is unknown which one the client means.
fn sole<T>(values: impl IntoIterator<Item = T>) -> Option<T> {
    let mut values = values.into_iter();
    let first = values.next();
    if values.next().is_some() { None } else { first }
}

/// Returns what follows `scheme` in each `Authorization` line of that scheme, text or not. Lines of
/// other schemes change nothing.
fn authorization<'a>(headers: &'a HeaderMap, scheme: &str) -> Vec<&'a [u8]> {
    let credentials = |value: &'a HeaderValue| {
        let line = value.as_bytes();
        let end = line.iter().position(|byte| *byte == b' ');
        let (name, rest) = line.split_at(end.unwrap_or(line.len()));
        name.eq_ignore_ascii_case(scheme.as_bytes())
            .then(|| rest.trim_ascii_start())
    };
    headers
        .get_all(AUTHORIZATION)
        .iter()
        .filter_map(credentials)
        .collect()
}

/// Decodes the username and password of RFC 7617: base64 of UTF-8, split at the first colon.
fn basic_parts(credentials: &[u8]) -> Option<(String, String)> {
    let text = String::from_utf8(STANDARD.decode(credentials).ok()?).ok()?;
    let (username, password) = text.split_once(':')?;
    Some((username.to_owned(), password.to_owned()))
}
