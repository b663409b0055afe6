//! Reads credentials.

use super::{Error, ErrorKind, Location, Store, in_time};
use crate::items::{decode_credential, string};
use crate::model::{Credential, Digest, Usage};

impl Store {
    /// Reads the credential with this digest. The read is strongly consistent, so a revoked
    /// credential is absent at once.
    pub async fn credential(
        &self,
        digest: &Digest,
        usage: &Usage,
    ) -> Result<Option<Credential>, Error> {
        const OPERATION: &str = "read credential";
        let item = match &self.0 {
            Location::DynamoDb(store) => store.credential(digest, usage).await?,
            Location::Local(store) => {
                // What DynamoDB consumes for the consistent read of a small item.
                usage.add_capacity(1.0);
                let item = in_time(OPERATION, store.credential(*digest)).await?;
                let is_another = |item| string(item, "digest") != Some(&digest.to_string());
                if item.as_ref().is_some_and(is_another) {
                    let code = "another credential";
                    return Err(Error::new(ErrorKind::Damaged, OPERATION, code));
                }
                item
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
