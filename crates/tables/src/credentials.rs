//! Adds, lists and removes credentials.

use std::collections::HashMap;

use auth::{Digest, StoredCredential};
use items::{ItemKey, ItemMembers, Table};
use model::Invalid;
use store::{Error, ErrorKind};

use super::export::Decoded;
use super::{ItemChange, Tables, damaged};

const TABLE: Table = Table::Credentials;

/// What became of a credential that was to be added.
#[derive(Debug, PartialEq, Eq)]
pub enum Added {
    New,
    /// Nothing was changed, because this credential has the same secret.
    Exists(Box<StoredCredential>),
    /// Nothing was changed, because an item that authorizes nothing has the digest of the secret.
    Damaged,
}

impl Added {
    fn found(item: &str) -> Result<Self, Error> {
        ItemMembers::of_item(item).ok_or_else(damaged)?;
        let stored = StoredCredential::decode(item).map(Box::new);
        Ok(stored.map_or(Self::Damaged, Self::Exists))
    }
}

impl Tables {
    /// Adds these credentials, whose secrets differ, but none whose secret is stored: no credential is changed by
    /// adding another. Returns what became of each.
    ///
    /// # Errors
    ///
    /// Fails if the store does; some credentials may be added by then.
    pub async fn add_credentials(&self, new: &[StoredCredential]) -> Result<Vec<Added>, Error> {
        let key = |new: &StoredCredential| ItemKey::of_credential(&new.digest.to_string());
        let keys: Vec<_> = new.iter().map(key).collect();
        let before = self.writer.get(TABLE, keys.clone()).await?;
        let absent = new.iter().filter(|new| !before.contains_key(&key(new)));
        let change = |new: &StoredCredential| {
            Ok(ItemChange {
                key: key(new),
                before: None,
                after: new.item().map_err(too_large)?,
                guard: &["digest"],
            })
        };
        let changes = absent.map(change).collect::<Result<_, Error>>()?;
        let mut made = self.writer.replace(TABLE, changes).await?.into_iter();
        let now = if made.as_slice().contains(&false) {
            self.writer.get(TABLE, keys.clone()).await?
        } else {
            HashMap::new()
        };
        let added = keys.iter().zip(new).map(|(key, new)| {
            if let Some(item) = before.get(key) {
                return Added::found(item);
            }
            if made.next() == Some(true) {
                return Ok(Added::New);
            }
            match Added::found(now.get(key).ok_or_else(changed)?)? {
                // This program has added it, in an attempt whose response was lost.
                Added::Exists(stored) if *stored == *new => Ok(Added::New),
                found => Ok(found),
            }
        });
        added.collect()
    }

    /// Returns all credentials, in no order; those that are damaged authorize nothing.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn credentials(&self) -> Result<Decoded<StoredCredential>, Error> {
        let mut decoded = Vec::new();
        let mut decode = |page: Vec<String>| {
            for json in page {
                let item = ItemMembers::of_item(&json).ok_or_else(damaged)?;
                let key = || item.string("digest").unwrap_or_default().into_owned();
                decoded.push(StoredCredential::decode(&json).ok_or_else(key));
            }
            Ok(())
        };
        self.writer.all(TABLE, &mut decode).await?;
        Ok(decoded.into_iter().collect())
    }

    /// Returns the credential with this digest, unless it is damaged.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn credential(&self, digest: &Digest) -> Result<Option<StoredCredential>, Error> {
        let key = ItemKey::of_credential(&digest.to_string());
        let found = self.writer.get(TABLE, vec![key]).await?;
        let item = found.into_values().next();
        Ok(item.and_then(|json| StoredCredential::decode(&json)))
    }

    /// Deletes the credential with this text of a digest, or the item whose key is none. The API refuses a
    /// credential from the next request on.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn remove_credential(&self, key: &str) -> Result<(), Error> {
        self.writer
            .delete(TABLE, vec![ItemKey::of_credential(key)])
            .await
    }
}

fn too_large(Invalid(requirement): Invalid) -> Error {
    Error::new(ErrorKind::Refused, "write a credential", requirement)
}

fn changed() -> Error {
    let code = "another program changes it meanwhile";
    Error::new(ErrorKind::Unavailable, "write a credential", code)
}
