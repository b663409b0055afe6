//! Adds, lists and removes credentials.

use aws_sdk_dynamodb::types::AttributeValue;
use encoding::{NewCredential, StoredCredential, credential_key, key_of, project_set};
use engine::Engine;
use shared::items::{Item, Table, string};
use shared::model::{Account, Digest, ProjectId};
use shared::store::Error;

use super::backend::Backend;
use super::backoff::unless_throttled;
use super::dynamodb::{DynamoDbTables, Update};
use super::export::Decoded;
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
        let decode = |item: &Item| {
            let key = || string(item, "digest").unwrap_or_default().to_owned();
            StoredCredential::from_item(item).ok_or_else(key)
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
        Ok(found.first().and_then(StoredCredential::from_item))
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
        let key = credential_key(&digest.to_string());
        let (allowed, projects) = (AttributeValue::Bool(true), project_set(account));
        match &self.backend {
            Backend::DynamoDb(tables) => {
                let update = Update {
                    table: TABLE,
                    key,
                    set: vec![("statistics", Some(&allowed))],
                    unless_changed: vec![("projects", Some(&projects))],
                };
                tables.update(&tables.request(&update)).await
            }
            Backend::Folder(engine) => {
                let mut items = engine.get(TABLE, vec![key]).await?;
                for item in &mut items {
                    item.insert("statistics".to_owned(), allowed.clone());
                }
                let is_stored = !items.is_empty();
                engine.put(TABLE, items).await?;
                Ok(is_stored)
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
            Backend::Folder(engine) => remove_project(engine, digest, project).await,
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
    async fn add_credential(&self, item: &Item) -> Result<bool, Error> {
        let attributes = item.iter().filter(|(name, _)| *name != "digest");
        let update = Update {
            table: TABLE,
            key: key_of(TABLE, item),
            set: attributes
                .map(|(name, value)| (name.as_str(), Some(value)))
                .collect(),
            unless_changed: vec![("digest", None)],
        };
        self.update(&self.request(&update)).await
    }

    async fn credentials(&self) -> Result<Vec<Item>, Error> {
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
            .set_key(Some(credential_key(&digest.to_string())))
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

async fn remove_project(
    engine: &Engine,
    digest: &Digest,
    project: &ProjectId,
) -> Result<(), Error> {
    let mut items = engine
        .get(TABLE, vec![credential_key(&digest.to_string())])
        .await?;
    for item in &mut items {
        if let Some(AttributeValue::Ss(projects)) = item.get_mut("projects") {
            projects.retain(|name| name != project.as_str());
        }
    }
    engine.put(TABLE, items).await
}
