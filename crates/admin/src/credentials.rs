//! Adds, lists and removes credentials.

use aws_sdk_dynamodb::types::AttributeValue;
use encoding::{ItemMembers, NewCredential, StoredCredential, credential_key};
use model::items::Table;
use model::{Account, Digest, ProjectId};
use store::Error;

use super::admin_store::{AdminStore, Backend};
use super::dynamodb::Update;
use super::export::Decoded;
use super::item::{decode, decode_all, encode_all, key_of};

const TABLE: Table = Table::Credentials;

impl AdminStore {
    /// Adds a credential. If the table already has one with the same secret, changes nothing and returns
    /// `false`.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn add_credential(&self, credential: &NewCredential<'_>) -> Result<bool, Error> {
        let digest = credential.secret.digest();
        match &self.backend {
            Backend::DynamoDb(tables) => {
                let item = decode(&credential.item())?;
                let attributes = item.iter().filter(|(name, _)| *name != "digest");
                let update = Update {
                    table: TABLE,
                    key: key_of(TABLE, &item),
                    set: attributes
                        .map(|(name, value)| (name.as_str(), Some(value)))
                        .collect(),
                    unless_changed: vec![("digest", None)],
                };
                tables.update(&tables.request(&update)).await
            }
            Backend::Folder(_) if self.credential(&digest).await?.is_some() => Ok(false),
            Backend::Folder(folder) => {
                folder.put(TABLE, vec![credential.item()]).await?;
                Ok(true)
            }
        }
    }

    /// Returns all credentials, in no order.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn credentials(&self) -> Result<Decoded<StoredCredential>, Error> {
        let items = match &self.backend {
            Backend::DynamoDb(tables) => {
                let mut found = Vec::new();
                let add = |page| {
                    found.extend(page);
                    Ok(())
                };
                tables.scan(TABLE, add).await?;
                found
            }
            Backend::Folder(folder) => folder.credentials().await?,
        };
        let decode = |item: &String| {
            let digest = || Some(ItemMembers::of_item(item)?.string("digest")?.into_owned());
            StoredCredential::from_item(item).ok_or_else(|| digest().unwrap_or_default())
        };
        Ok(items.iter().map(decode).collect())
    }

    /// Returns the credential with this digest.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn credential(&self, digest: &Digest) -> Result<Option<StoredCredential>, Error> {
        let key = credential_key(&digest.to_string());
        let items = self.backend.get(TABLE, vec![key]).await?;
        let found = items.first();
        Ok(found.and_then(|item| StoredCredential::from_item(item)))
    }

    /// Lets the account with this digest also read the statistics of its projects. Returns `false` and
    /// changes nothing if it is not stored, or lists other projects by now.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn allow_statistics(
        &self,
        digest: &Digest,
        account: &Account,
    ) -> Result<bool, Error> {
        let allowed = ("statistics", AttributeValue::Bool(true));
        self.change(digest, account, allowed).await
    }

    /// Removes the project from an account that lists others too. Returns `false` and changes nothing if it
    /// is not stored, or lists other projects by now.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn remove_project(
        &self,
        digest: &Digest,
        account: &Account,
        project: &ProjectId,
    ) -> Result<bool, Error> {
        let mut left = account.clone();
        left.projects.retain(|other| other != project);
        let left = ("projects", project_set(&left));
        self.change(digest, account, left).await
    }

    /// Sets an attribute of the account with this digest, unless it is not stored, or lists other projects by
    /// now.
    async fn change(
        &self,
        digest: &Digest,
        account: &Account,
        (name, value): (&str, AttributeValue),
    ) -> Result<bool, Error> {
        let key = credential_key(&digest.to_string());
        match &self.backend {
            Backend::DynamoDb(tables) => {
                let projects = project_set(account);
                let update = Update {
                    table: TABLE,
                    key: decode(&key)?,
                    set: vec![(name, Some(&value))],
                    unless_changed: vec![("projects", Some(&projects))],
                };
                tables.update(&tables.request(&update)).await
            }
            Backend::Folder(folder) => {
                let mut items = decode_all(&folder.get(TABLE, vec![key]).await?)?;
                for item in &mut items {
                    item.insert(name.to_owned(), value.clone());
                }
                let is_stored = !items.is_empty();
                folder.put(TABLE, encode_all(&items)?).await?;
                Ok(is_stored)
            }
        }
    }

    /// Deletes the credential with this text of a digest, or the item whose key is none. The API refuses a
    /// credential after at most a minute.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn remove_credential(&self, key: &str) -> Result<(), Error> {
        self.backend.delete(TABLE, vec![credential_key(key)]).await
    }
}

fn project_set(account: &Account) -> AttributeValue {
    AttributeValue::Ss(account.projects.iter().map(ToString::to_string).collect())
}
