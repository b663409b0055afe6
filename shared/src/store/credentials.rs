//! Reads credentials.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, ConsumedCapacity, ReturnConsumedCapacity};

use super::checksum::VerifiesBody;
use super::{Error, Store};
use crate::model::{Account, Credential, CredentialKind, Digest, ReadKey, Usage};

impl Store {
    /// Reads the credential with this digest. The read is strongly consistent, so a revoked
    /// credential is absent at once.
    pub async fn credential(
        &self,
        digest: &Digest,
        usage: &Usage,
    ) -> Result<Option<Credential>, Error> {
        let output = self
            .clients
            .credentials
            .get_item()
            .table_name(&self.tables.credentials)
            .key("digest", AttributeValue::S(digest.to_string()))
            .consistent_read(true)
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .customize()
            .interceptor(VerifiesBody)
            .send()
            .await
            .map_err(|error| Error::from_sdk("GetItem credentials", &error))?;
        let consumed = output.consumed_capacity();
        usage.add_capacity(
            consumed
                .and_then(ConsumedCapacity::capacity_units)
                .unwrap_or_default(),
        );
        let Some(item) = output.item else {
            return Ok(None);
        };
        let credential = decode_credential(&item);
        if credential.is_none() {
            tracing::warn!("a stored credential cannot be decoded and authorizes nothing");
        }
        Ok(credential)
    }
}

/// Decodes the item of a credential; returns `None` if it is damaged or of an unknown kind.
#[allow(clippy::implicit_hasher)] // the item is one of the SDK
pub fn decode_credential(item: &HashMap<String, AttributeValue>) -> Option<Credential> {
    let text = |name| item.get(name)?.as_s().ok();
    match text("kind")?.parse().ok()? {
        CredentialKind::ReadKey => Some(Credential::ReadKey(ReadKey {
            project: text("project")?.parse().ok()?,
        })),
        CredentialKind::Account => {
            let projects = item.get("projects").and_then(|value| value.as_ss().ok());
            Some(Credential::Account(Account {
                username: text("username")?.clone(),
                projects: projects
                    .into_iter()
                    .flatten()
                    .map(|project| project.parse().ok())
                    .collect::<Option<_>>()?,
            }))
        }
    }
}
