//! Adds, lists and removes credentials.

use aws_sdk_dynamodb::types::AttributeValue;
use encoding::{ItemMembers, ItemValue, NewCredential, StoredCredential, credential_key};
use engine::Engine;
use model::items::Table;
use model::{Account, Digest, ProjectId};
use store::Error;

use super::backend::Backend;
use super::backoff::unless_throttled;
use super::dynamodb::{DynamoDbTables, Update};
use super::export::Decoded;
use super::item::{damaged, decode, key_of};
use super::store::AdminStore;

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
            Backend::DynamoDb(tables) => tables.add_credential(&credential.item()).await,
            Backend::Folder(_) if self.credential(&digest).await?.is_some() => Ok(false),
            Backend::Folder(engine) => {
                engine.put(TABLE, vec![credential.item()]).await?;
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
            Backend::DynamoDb(tables) => tables.credentials().await?,
            Backend::Folder(engine) => engine.credentials().await?,
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
        let found = self.backend.get(TABLE, vec![key]).await?;
        let found = found.first();
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
        match &self.backend {
            Backend::DynamoDb(tables) => {
                let projects = account.projects.iter().map(ToString::to_string).collect();
                let (allowed, projects) =
                    (AttributeValue::Bool(true), AttributeValue::Ss(projects));
                let update = Update {
                    table: TABLE,
                    key: decode(&credential_key(&digest.to_string()))?,
                    set: vec![("statistics", Some(&allowed))],
                    unless_changed: vec![("projects", Some(&projects))],
                };
                tables.update(&tables.request(&update)).await
            }
            Backend::Folder(engine) => {
                let allow = |item: &mut ItemMembers<'_>| {
                    item.set("statistics".into(), Some(ItemValue::TRUE));
                };
                change(engine, digest, allow).await
            }
        }
    }

    /// Removes the project from an account that lists others too.
    ///
    /// # Errors
    ///
    /// Fails if the store does, or if the credential does not list the project.
    pub async fn remove_project(&self, digest: &Digest, project: &ProjectId) -> Result<(), Error> {
        match &self.backend {
            Backend::DynamoDb(tables) => tables.remove_project(digest, project).await,
            Backend::Folder(engine) => {
                let removed = change(engine, digest, |item| {
                    if let Some(names) = item.get("projects").and_then(ItemValue::texts) {
                        let names = names.iter().map(|name| &**name);
                        let others = names.filter(|name| *name != project.as_str());
                        item.set("projects".into(), Some(ItemValue::strings(others)));
                    }
                });
                removed.await.map(drop)
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

impl DynamoDbTables {
    async fn add_credential(&self, item: &str) -> Result<bool, Error> {
        let item = decode(item)?;
        let attributes = item.iter().filter(|(name, _)| *name != "digest");
        let update = Update {
            table: TABLE,
            key: key_of(TABLE, &item),
            set: attributes
                .map(|(name, value)| (name.as_str(), Some(value)))
                .collect(),
            unless_changed: vec![("digest", None)],
        };
        self.update(&self.request(&update)).await
    }

    async fn credentials(&self) -> Result<Vec<String>, Error> {
        let mut found = Vec::new();
        let scan = self.scan(TABLE, |page| {
            found.extend(page);
            Ok(())
        });
        scan.await?;
        Ok(found)
    }

    async fn remove_project(&self, digest: &Digest, project: &ProjectId) -> Result<(), Error> {
        const OPERATION: &str = "UpdateItem credentials";
        let request = self
            .client
            .update_item()
            .table_name(&self.tables.credentials)
            .set_key(Some(decode(&credential_key(&digest.to_string()))?))
            .update_expression("DELETE #projects :project")
            // A credential that was revoked meanwhile is not created again.
            .condition_expression("contains(#projects, :name)")
            .expression_attribute_names("#projects", "projects")
            .expression_attribute_values(":project", AttributeValue::Ss(vec![project.to_string()]))
            .expression_attribute_values(":name", AttributeValue::S(project.to_string()));
        let updated = unless_throttled(OPERATION, async || {
            let sent = request.clone().send().await;
            sent.map_err(|error| Error::from_sdk(OPERATION, &error))
        });
        updated.await.map(drop)
    }
}

/// Changes a credential of a folder. Returns `false` if it is not stored.
async fn change(
    engine: &Engine,
    digest: &Digest,
    change: impl Fn(&mut ItemMembers<'_>),
) -> Result<bool, Error> {
    let key = credential_key(&digest.to_string());
    let stored = engine.get(TABLE, vec![key]).await?;
    let Some(json) = stored.first() else {
        return Ok(false);
    };
    let mut item = ItemMembers::of_item(json).ok_or_else(damaged)?;
    change(&mut item);
    engine.put(TABLE, vec![item.json()]).await?;
    Ok(true)
}
