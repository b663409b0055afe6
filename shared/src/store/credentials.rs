use std::time::Duration;

use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use futures_util::future::join_all;

use super::attributes::{Attributes, parsed, string};
use super::fault::fault;
use super::{NewItem, Store, count_capacity};
use crate::error::Error;
use crate::model::{Account, Credential, Digest, ReadKey, Secret, Timestamp, Usage};

/// A credential as it can be listed: what it opens, never the secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCredential {
    /// Lower hexadecimal SHA-256 of the secret.
    pub digest: String,
    /// `None` when the item is damaged, and opens nothing.
    pub credential: Option<Credential>,
    /// What its maker called it.
    pub label: Option<String>,
    /// When it was made.
    pub created: Option<Timestamp>,
}

impl Store {
    /// Writes what this secret opens, unless the secret is in the table already: then nothing is
    /// changed, and the answer is `false`.
    pub async fn add_credential(
        &self,
        secret: &Secret,
        credential: &Credential,
        label: Option<&str>,
        created: Timestamp,
    ) -> Result<bool, Error> {
        let outcome = self
            .client
            .put_item()
            .table_name(&self.tables.credentials)
            .set_item(Some(
                NewItem::credential(secret, credential, label, created).item,
            ))
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
            Err(error) => Err(fault("PutItem credentials", &error)),
        }
    }

    /// All credentials, in no order.
    pub async fn credentials(&self) -> Result<Vec<StoredCredential>, Error> {
        let scan = self.client.scan().table_name(&self.tables.credentials);
        let mut items = scan.into_paginator().items().send();
        let mut found = Vec::new();
        while let Some(item) = items.next().await {
            let mut item =
                Attributes::new(item.map_err(|error| fault("Scan credentials", &error))?);
            found.push(StoredCredential {
                digest: item.take("digest", string).unwrap_or_default(),
                credential: decode(&mut item),
                label: item.take("label", string),
                created: item.take("created", parsed),
            });
        }
        Ok(found)
    }

    /// Deletes the credential with this digest. It is refused after a minute at most.
    pub async fn remove_credential(&self, digest: &str) -> Result<(), Error> {
        self.client
            .delete_item()
            .table_name(&self.tables.credentials)
            .key("digest", AttributeValue::S(digest.to_owned()))
            .send()
            .await
            .map(drop)
            .map_err(|error| fault("DeleteItem credentials", &error))
    }

    /// Opens this many connections before they are needed: a read on each, whatever comes of it, that
    /// takes a second at most.
    pub async fn warm_up(&self, connections: u8) {
        const PATIENCE: Duration = Duration::from_secs(1);
        let reads = (0..connections).map(|_| {
            self.client
                .get_item()
                .table_name(&self.tables.credentials)
                .key("digest", AttributeValue::S("warm-up".to_owned()))
                .send()
        });
        let _ = tokio::time::timeout(PATIENCE, join_all(reads)).await;
    }

    /// The credential with this digest, read with strong consistency, so that a revoked one is gone
    /// at once.
    pub async fn credential(
        &self,
        digest: &Digest,
        usage: &Usage,
    ) -> Result<Option<Credential>, Error> {
        let output = self
            .client
            .get_item()
            .table_name(&self.tables.credentials)
            .key("digest", AttributeValue::S(digest.to_string()))
            .consistent_read(true)
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .send()
            .await
            .map_err(|error| fault("GetItem credentials", &error))?;
        count_capacity(usage, output.consumed_capacity());
        let found = output.item.map(|item| decode(&mut Attributes::new(item)));
        if let Some(None) = found {
            tracing::warn!("a stored credential cannot be decoded and opens nothing");
        }
        Ok(found.flatten())
    }
}

fn decode(item: &mut Attributes) -> Option<Credential> {
    match item.take("kind", string)?.as_str() {
        "read-key" => Some(Credential::ReadKey(ReadKey {
            project: item.take("project", parsed)?,
        })),
        "account" => {
            let username = item.take("username", string)?;
            let projects = item
                .take("projects", |value| value.as_ss().ok().cloned())
                .unwrap_or_default();
            let projects = projects
                .iter()
                .map(|project| project.parse().ok())
                .collect::<Option<_>>()?;
            Some(Credential::Account(Account { username, projects }))
        }
        _ => None,
    }
}
