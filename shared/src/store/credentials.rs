//! Reads credentials.

use super::read::Item;
use super::{Error, Source, Store, in_time};
use crate::model::{Account, Credential, CredentialKind, Digest, ReadKey, Usage};

impl Store {
    /// Reads the credential with this digest. The read is strongly consistent, so a revoked
    /// credential is absent at once.
    pub async fn credential(
        &self,
        digest: &Digest,
        usage: &Usage,
    ) -> Result<Option<Credential>, Error> {
        let item = match &self.0 {
            Source::DynamoDb(store) => store.credential(digest, usage).await?,
            Source::Local(store) => {
                // What DynamoDB consumes for the consistent read of a small item.
                usage.add_capacity(1.0);
                in_time("read credential", store.credential(*digest)).await?
            }
        };
        let Some(item) = item else {
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
pub fn decode_credential(item: &Item) -> Option<Credential> {
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
