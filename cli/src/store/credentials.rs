//! Adds, lists and removes credentials.

use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::types::AttributeValue;
use shared::model::{Credential, ProjectId, Secret, Timestamp};
use shared::store::{Error, decode_credential};

use super::attributes::{Item, parsed, string};
use super::backoff::unless_throttled;
use super::{AdminStore, NewItem};

/// A credential as it is listed: what it authorizes, without the secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredCredential {
    /// Lower hexadecimal SHA-256 of the secret.
    pub(crate) digest: String,
    /// `None` if the item is damaged or of an unknown kind, and authorizes nothing.
    pub(crate) credential: Option<Credential>,
    /// The label that it was created with.
    pub(crate) label: Option<String>,
    /// When it was created.
    pub(crate) created: Option<Timestamp>,
}

impl StoredCredential {
    /// Returns whether it authorizes this project.
    pub(crate) fn authorizes(&self, project: &ProjectId) -> bool {
        match &self.credential {
            None => false,
            Some(Credential::ReadKey(key)) => key.authorize(project).is_ok(),
            Some(Credential::Account(account)) => account.authorize(project).is_ok(),
        }
    }
}

impl AdminStore {
    /// Adds a credential with this secret. If the table already has one with the same secret, changes
    /// nothing and returns `false`.
    pub(crate) async fn add_credential(
        &self,
        secret: &Secret,
        credential: &Credential,
        label: Option<&str>,
        created: Timestamp,
    ) -> Result<bool, Error> {
        let NewItem { item, .. } = NewItem::credential(secret, credential, label, created);
        let outcome = self
            .client
            .put_item()
            .table_name(&self.tables.credentials)
            .set_item(Some(item))
            .condition_expression("attribute_not_exists(#digest)")
            .expression_attribute_names("#digest", "digest")
            .send()
            .await;
        match outcome {
            Ok(_) => Ok(true),
            Err(error)
                if error
                    .as_service_error()
                    .is_some_and(PutItemError::is_conditional_check_failed_exception) =>
            {
                Ok(false)
            }
            Err(error) => Err(Error::from_sdk("PutItem credentials", &error)),
        }
    }

    /// Returns all credentials, in no order.
    pub(crate) async fn credentials(&self) -> Result<Vec<StoredCredential>, Error> {
        let (mut found, mut next) = (Vec::new(), None);
        loop {
            let scan = self.client.scan().table_name(&self.tables.credentials);
            let scan = scan.set_exclusive_start_key(next);
            let send = async || scan.clone().send().await;
            let page = unless_throttled("Scan credentials", send).await?;
            found.extend(page.items().iter().map(|item| StoredCredential {
                digest: string(item, "digest").unwrap_or_default(),
                credential: decode_credential(item),
                label: string(item, "label"),
                created: parsed(item, "created"),
            }));
            next = page.last_evaluated_key;
            if next.is_none() {
                return Ok(found);
            }
        }
    }

    /// Returns which of these digests have a credential.
    pub(crate) async fn existing_digests(
        &self,
        digests: impl IntoIterator<Item = String>,
    ) -> Result<Vec<String>, Error> {
        let key = |digest| Item::from([("digest".to_owned(), AttributeValue::S(digest))]);
        let keys = digests.into_iter().map(key).collect();
        let found = self.get_all(&self.tables.credentials, keys).await?;
        let digest = |item| string(item, "digest");
        Ok(found.iter().filter_map(digest).collect())
    }

    /// Removes the project from an account that lists others too.
    pub(crate) async fn remove_project(
        &self,
        digest: &str,
        project: &ProjectId,
    ) -> Result<(), Error> {
        let request = self
            .client
            .update_item()
            .table_name(&self.tables.credentials)
            .key("digest", AttributeValue::S(digest.to_owned()))
            .update_expression("DELETE #projects :project")
            // A credential that was revoked meanwhile is not created again.
            .condition_expression("contains(#projects, :name)")
            .expression_attribute_names("#projects", "projects")
            .expression_attribute_values(":project", AttributeValue::Ss(vec![project.to_string()]))
            .expression_attribute_values(":name", AttributeValue::S(project.to_string()));
        let send = async || request.clone().send().await;
        let updated = unless_throttled("UpdateItem credentials", send).await;
        updated.map(drop)
    }

    /// Deletes the credential with this digest. The API refuses it after at most a minute.
    pub(crate) async fn remove_credential(&self, digest: &str) -> Result<(), Error> {
        let request = self
            .client
            .delete_item()
            .table_name(&self.tables.credentials)
            .key("digest", AttributeValue::S(digest.to_owned()));
        let send = async || request.clone().send().await;
        let deleted = unless_throttled("DeleteItem credentials", send).await;
        deleted.map(drop)
    }
}
