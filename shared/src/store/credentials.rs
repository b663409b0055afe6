//! Reads credentials.

use super::{Error, Location, Store, in_time};
use crate::items::decode_credential;
use crate::model::{Credential, Digest, Usage};

impl Store {
    /// Reads the credential with this digest. The read is strongly consistent, so a revoked
    /// credential is absent at once.
    pub async fn credential(
        &self,
        digest: &Digest,
        usage: &Usage,
    ) -> Result<Option<Credential>, Error> {
        let item = match &self.0 {
            Location::DynamoDb(store) => store.credential(digest, usage).await?,
            Location::Local(store) => {
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
