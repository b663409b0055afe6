//! Who may read what (contract, section 2): a request claims a credential by its secret, and the credential is read
//! by the secret's digest, which is all that is stored of it.

mod claim;
mod credential;
mod credential_item;
mod secret;

use http::HeaderMap;
use store::{Error, ReadUsage, Store};

use claim::Claim;

pub use credential::{Credential, Permission, Username};
pub use credential_item::{StoredCredential, findings};
pub use secret::{Digest, Secret};

#[derive(Debug)]
pub enum AuthenticationError {
    /// Its headers claim no credential, or it is unclear which.
    NoClaim,
    /// What it claims does not authorize it.
    Unknown,
    Unreadable(Error),
}

/// Reads the credential that a request to the operation of this permission claims, with its digest.
///
/// # Errors
///
/// Refuses a request without a credential that has the permission.
pub async fn authenticate(
    headers: &HeaderMap,
    operation: Permission,
    store: &Store,
    usage: &ReadUsage,
) -> Result<(Digest, Credential), AuthenticationError> {
    let claim = Claim::of(headers, operation).ok_or(AuthenticationError::NoClaim)?;
    let digest = claim.secret.digest();
    let item = store.credential(digest.to_string(), usage).await;
    let Some(item) = item.map_err(AuthenticationError::Unreadable)? else {
        return Err(AuthenticationError::Unknown);
    };
    let Some(stored) = credential_item::authorized_by(&item) else {
        tracing::warn!("a stored credential cannot be decoded and authorizes nothing");
        return Err(AuthenticationError::Unknown);
    };
    if !stored.may(operation) || !claim.has_username_of(&stored) {
        return Err(AuthenticationError::Unknown);
    }
    Ok((digest, stored))
}
