//! Authenticates and authorizes requests (contract, section 2). The store keeps only digests of
//! secrets, and a credential is found by its digest.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};
use model::{Credential, Digest, Permission, ProjectId, Secret, Timestamp};
use store::Store;

use crate::call::Call;
use crate::error::Error;

const AUTH_KEY: &str = "authkey";

/// Makes the error of a request that nothing authenticates which may read users.
fn no_password() -> Error {
    Error::unauthenticated(
        "Authorization",
        r#"Basic realm="survey-feedback", charset="UTF-8""#,
        "Send the username and password of a credential for users with HTTP Basic authentication.",
    )
}

/// Makes the error of a request that no Read Key authenticates: none was sent, or another secret.
fn no_read_key(is_sent: bool) -> Error {
    Error::unauthenticated(
        "AuthKey",
        r#"AuthKey realm="survey-feedback""#,
        if is_sent {
            "Send a valid Read Key in the AuthKey header."
        } else {
            "Send a Read Key in the AuthKey header."
        },
    )
}

/// Verifies credentials, and caches verified ones for at most a minute.
#[derive(Debug)]
pub struct Authenticator {
    store: Store,
    cache: Mutex<HashMap<Digest, Verified>>,
}

/// A credential that the store held at this time.
#[derive(Debug)]
struct Verified {
    credential: Credential,
    time: Timestamp,
    instant: Instant,
}

impl Verified {
    /// Returns whether it is recent by both clocks: the system's may be set back, and the monotonic one may
    /// stand still while Lambda freezes the process.
    fn is_recent(&self, time: Timestamp, instant: Instant) -> bool {
        const CACHED: Duration = Duration::from_mins(1);
        let passed = u64::try_from(time.millis_since(self.time)).map(Duration::from_millis);
        passed.is_ok_and(|passed| passed < CACHED)
            && instant.saturating_duration_since(self.instant) < CACHED
    }
}

impl Authenticator {
    const MAX_CACHED: usize = 1_000;

    /// Makes an authenticator that reads credentials from this store.
    pub fn new(store: Store) -> Self {
        Self {
            store,
            cache: Mutex::default(),
        }
    }

    /// Authenticates a request to the users operation, by a secret that is the password of HTTP Basic, or a
    /// Bearer token. If the credential has a username, that of HTTP Basic must be the same.
    pub async fn users_credential(&self, call: &Call) -> Result<Credential, Error> {
        let (username, secret) = password_claim(&call.headers).ok_or_else(no_password)?;
        let has_name = |credential: &Credential| match (&username, credential.username()) {
            (Some(claimed), Some(name)) => claimed == name.as_str(),
            _ => true,
        };
        let accepts = |it: &Credential| it.may(Permission::Users) && has_name(it);
        let found = self.credential(&secret, call, accepts).await?;
        found.ok_or_else(no_password)
    }

    /// Authenticates a request to the statistics operation, by a secret that is the header `AuthKey`, without it
    /// the username of HTTP Basic, and without that a Bearer token.
    pub async fn statistics_credential(&self, call: &Call) -> Result<Credential, Error> {
        let secret = read_key_claim(&call.headers).ok_or_else(|| no_read_key(false))?;
        let accepts = |it: &Credential| it.may(Permission::Statistics);
        let found = self.credential(&secret, call, accepts).await?;
        found.ok_or_else(|| no_read_key(true))
    }

    /// Returns the credential with this secret if the operation accepts it.
    async fn credential(
        &self,
        secret: &Secret,
        call: &Call,
        accepts: impl Fn(&Credential) -> bool,
    ) -> Result<Option<Credential>, Error> {
        let digest = secret.digest();
        let found = match self.cached(&digest, call.now) {
            Some(credential) => Some(credential),
            None => self.read(digest, call).await?,
        };
        let accepted = found.filter(accepts);
        if accepted.is_some() {
            call.record_credential(digest);
        }
        Ok(accepted)
    }

    fn cached(&self, digest: &Digest, now: Timestamp) -> Option<Credential> {
        let cache = self.cache();
        let verified = cache.get(digest)?;
        let is_recent = verified.is_recent(now, Instant::now());
        is_recent.then(|| verified.credential.clone())
    }

    /// Reads a credential from the store, and caches it.
    async fn read(&self, digest: Digest, call: &Call) -> Result<Option<Credential>, Error> {
        let instant = Instant::now();
        let read = self.store.credential(&digest, &call.usage);
        let found = call.deadline.limit(read).await??;
        let mut cache = self.cache();
        match &found {
            Some(credential) => {
                if cache.len() >= Self::MAX_CACHED {
                    cache.clear();
                }
                let verified = Verified {
                    credential: credential.clone(),
                    time: call.now,
                    instant,
                };
                cache.insert(digest, verified);
            }
            None => drop(cache.remove(&digest)),
        }
        Ok(found)
    }

    /// Locks the cache. A panic elsewhere leaves only whole entries behind, so a poisoned lock is
    /// harmless.
    fn cache(&self) -> MutexGuard<'_, HashMap<Digest, Verified>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Checks that the credential authorizes this project.
pub fn authorize(credential: &Credential, project: &ProjectId) -> Result<(), Error> {
    if credential.projects().contains(project) {
        Ok(())
    } else {
        Err(Error::forbidden())
    }
}

/// Extracts the username, if there is one, and the password. Basic is the operation's own scheme and
/// takes precedence over Bearer.
fn password_claim(headers: &HeaderMap) -> Option<(Option<String>, Secret)> {
    let basic = authorization(headers, "Basic");
    if basic.is_empty() {
        let token = sole(authorization(headers, "Bearer"))?;
        return Some((None, Secret::new(token)?));
    }
    let (username, password) = basic_parts(sole(basic)?)?;
    if let Some(secret) = only_half(&username, &password) {
        return Some((None, Secret::new(secret)?));
    }
    Some((Some(username), Secret::new(password)?))
}

fn read_key_claim(headers: &HeaderMap) -> Option<Secret> {
    if headers.contains_key(AUTH_KEY) {
        return Secret::new(sole(headers.get_all(AUTH_KEY))?.as_bytes());
    }
    let basic = authorization(headers, "Basic");
    if basic.is_empty() {
        return Secret::new(sole(authorization(headers, "Bearer"))?);
    }
    let (username, password) = basic_parts(sole(basic)?)?;
    Secret::new(only_half(&username, &password).unwrap_or(&username))
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

/// Returns the half of HTTP Basic beside which the other one is empty: a secret that is sent without a username.
fn only_half<'a>(username: &'a str, password: &'a str) -> Option<&'a str> {
    match (username, password) {
        ("", half) | (half, "") => Some(half),
        _ => None,
    }
}

/// Decodes the username and password of RFC 7617: base64 of UTF-8, split at the first colon.
fn basic_parts(credentials: &[u8]) -> Option<(String, String)> {
    let text = String::from_utf8(STANDARD.decode(credentials).ok()?).ok()?;
    let (username, password) = text.split_once(':')?;
    Some((username.to_owned(), password.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_is_cached_for_less_than_a_minute_by_each_clock() {
        let (time, instant) = (Timestamp::EPOCH, Instant::now());
        let projects = ["acme".parse().unwrap()].into();
        let verified = Verified {
            credential: Credential::new(projects, [Permission::Users].into(), None).unwrap(),
            time,
            instant,
        };
        let is_recent = |time_passed: u64, instant_passed: u64| {
            let time = Timestamp::from_unix_millis(time_passed).unwrap();
            verified.is_recent(time, instant + Duration::from_millis(instant_passed))
        };
        assert!(is_recent(0, 0));
        assert!(is_recent(59_999, 59_999));
        assert!(!is_recent(60_000, 0), "Lambda froze the process");
        assert!(!is_recent(10_000, 60_000), "the clock was set back");
        assert!(!verified.is_recent(time.minus_days(1), instant));
    }
}
