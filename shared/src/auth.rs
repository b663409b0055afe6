//! Who asks (contract, section 2). The store holds only digests of secrets and finds a credential
//! by its digest.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};

use crate::error::{Challenge, Error};
use crate::model::{Account, Credential, Digest, ProjectId, ReadKey, Secret, Timestamp, Usage};
use crate::store::Store;

const AUTH_KEY: &str = "authkey";

static USERS_CHALLENGE: Challenge = Challenge {
    header: "Authorization",
    www_authenticate: r#"Basic realm="survey-feedback", charset="UTF-8""#,
    detail: "Send the username and password of an account with HTTP Basic authentication.",
};

static STATISTICS_CHALLENGE: Challenge = Challenge {
    header: "AuthKey",
    www_authenticate: r#"AuthKey realm="survey-feedback""#,
    detail: "Send a Read Key in the AuthKey header.",
};

/// Verifies credentials, and remembers verified ones for a minute at most.
#[derive(Debug)]
pub struct Authenticator {
    store: Store,
    verified: Mutex<HashMap<Digest, (Timestamp, Credential)>>,
}

impl Authenticator {
    const REMEMBERED_MILLIS: i64 = 60_000;
    const MOST_REMEMBERED: usize = 1_000;

    /// An authenticator that has verified nothing yet.
    pub fn new(store: Store) -> Self {
        Self {
            store,
            verified: Mutex::default(),
        }
    }

    /// The account that sends this request to the users operation: HTTP Basic, or a Bearer token
    /// that is the account's password.
    pub async fn account(
        &self,
        headers: &HeaderMap,
        now: Timestamp,
        usage: &Usage,
    ) -> Result<Account, Error> {
        let refused = Error::Unauthenticated(&USERS_CHALLENGE);
        let Some((username, secret)) = account_claim(headers) else {
            return Err(refused);
        };
        match self.credential(&secret, now, usage).await? {
            Some(Credential::Account(account))
                if username.is_none_or(|name| name == account.username) =>
            {
                Ok(account)
            }
            _ => Err(refused),
        }
    }

    /// The Read Key that this request brings to the statistics operation: the header `AuthKey`, or
    /// else the username of HTTP Basic.
    pub async fn read_key(
        &self,
        headers: &HeaderMap,
        now: Timestamp,
        usage: &Usage,
    ) -> Result<ReadKey, Error> {
        let refused = Error::Unauthenticated(&STATISTICS_CHALLENGE);
        let Some(secret) = read_key_claim(headers) else {
            return Err(refused);
        };
        match self.credential(&secret, now, usage).await? {
            Some(Credential::ReadKey(key)) => Ok(key),
            _ => Err(refused),
        }
    }

    async fn credential(
        &self,
        secret: &Secret,
        now: Timestamp,
        usage: &Usage,
    ) -> Result<Option<Credential>, Error> {
        let digest = secret.digest();
        if let Some((verified_at, credential)) = self.remembered().get(&digest)
            && (0..Self::REMEMBERED_MILLIS).contains(&now.millis_since(*verified_at))
        {
            return Ok(Some(credential.clone()));
        }
        let found = self.store.credential(&digest, usage).await?;
        let mut remembered = self.remembered();
        match &found {
            Some(credential) => {
                if remembered.len() >= Self::MOST_REMEMBERED {
                    remembered.clear();
                }
                remembered.insert(digest, (now, credential.clone()));
            }
            None => drop(remembered.remove(&digest)),
        }
        Ok(found)
    }

    /// A panic elsewhere leaves whole entries behind, so a poisoned lock is as good as any.
    fn remembered(&self) -> MutexGuard<'_, HashMap<Digest, (Timestamp, Credential)>> {
        self.verified.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Account {
    /// Checks that the account may see this project.
    pub fn authorise(&self, project: &ProjectId) -> Result<(), Error> {
        if self.projects.contains(project) {
            Ok(())
        } else {
            Err(Error::Forbidden)
        }
    }
}

impl ReadKey {
    /// Checks that the key belongs to this project.
    pub fn authorise(&self, project: &ProjectId) -> Result<(), Error> {
        if self.project == *project {
            Ok(())
        } else {
            Err(Error::Forbidden)
        }
    }
}

/// The username, where one is named, and the password. Basic is the operation's own scheme and
/// counts before Bearer.
fn account_claim(headers: &HeaderMap) -> Option<(Option<String>, Secret)> {
    let basic = authorization(headers, "Basic");
    if basic.is_empty() {
        let token = only(authorization(headers, "Bearer"))?;
        return Some((None, Secret::new(token)?));
    }
    let (username, password) = basic_parts(only(basic)?)?;
    Some((Some(username), Secret::new(password)?))
}

fn read_key_claim(headers: &HeaderMap) -> Option<Secret> {
    if headers.contains_key(AUTH_KEY) {
        return Secret::new(only(headers.get_all(AUTH_KEY))?.as_bytes());
    }
    let (username, _) = basic_parts(only(authorization(headers, "Basic"))?)?;
    Secret::new(username)
}

/// The value, if there is one alone: of two, nobody can say which one counts.
fn only<T>(values: impl IntoIterator<Item = T>) -> Option<T> {
    let mut values = values.into_iter();
    let first = values.next();
    if values.next().is_some() { None } else { first }
}

/// What follows `scheme` in the `Authorization` headers.
fn authorization<'a>(headers: &'a HeaderMap, scheme: &str) -> Vec<&'a str> {
    let credentials = |value: &'a HeaderValue| {
        let (name, rest) = value.to_str().ok()?.split_once(' ')?;
        name.eq_ignore_ascii_case(scheme)
            .then(|| rest.trim_start_matches(' '))
    };
    headers
        .get_all(AUTHORIZATION)
        .iter()
        .filter_map(credentials)
        .collect()
}

/// Username and password of RFC 7617: base64 of UTF-8, split at the first colon.
fn basic_parts(credentials: &str) -> Option<(String, String)> {
    let text = String::from_utf8(STANDARD.decode(credentials).ok()?).ok()?;
    let (username, password) = text.split_once(':')?;
    Some((username.to_owned(), password.to_owned()))
}
