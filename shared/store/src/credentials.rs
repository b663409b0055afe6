//! Reads credentials.

use model::items::{CredentialItem, Json};
use model::{Credential, Digest, Usage};

use super::capacity::capacity_units;
use super::dynamodb::READ_CREDENTIAL;
use super::error::{Error, ErrorKind};
use super::location::{Location, Store, in_time};

impl Store {
    /// Reads the credential with this digest. The read is strongly consistent, so a revoked
    /// credential is absent at once.
    pub async fn credential(
        &self,
        digest: &Digest,
        usage: &Usage,
    ) -> Result<Option<Credential>, Error> {
        let (body, json);
        let item = match &self.0 {
            Location::DynamoDb(store) => {
                body = store.credential(digest).await?;
                let response = GetItemResponse::read(body.bytes().unwrap_or_default());
                let response = response.ok_or_else(damaged)?;
                usage.add(|totals| totals.capacity_units += response.capacity_units);
                response.credential
            }
            Location::Local(store) => {
                // What DynamoDB consumes for the consistent read of a small item.
                usage.add(|totals| totals.capacity_units += 1.0);
                json = in_time(READ_CREDENTIAL, store.credential(*digest)).await?;
                let read = |json| Json::read(json, CredentialItem::read).ok_or_else(damaged);
                json.as_deref().map(read).transpose()?
            }
        };
        let Some(item) = item else {
            return Ok(None);
        };
        let credential = item.credential();
        if credential.is_none() {
            tracing::warn!("a stored credential cannot be decoded and authorizes nothing");
        }
        Ok(credential)
    }
}

fn damaged() -> Error {
    Error::new(ErrorKind::Damaged, READ_CREDENTIAL, "not an item")
}

/// The JSON of a response to `GetItem`.
#[derive(Default)]
struct GetItemResponse<'a> {
    credential: Option<CredentialItem<'a>>,
    capacity_units: f64,
}

impl<'a> GetItemResponse<'a> {
    /// Reads a response; returns `None` if it is malformed.
    fn read(body: &'a [u8]) -> Option<Self> {
        let mut response = Self::default();
        Json::read(str::from_utf8(body).ok()?, |json| {
            json.object(|json, name| {
                match &*name {
                    "Item" => response.credential = Some(CredentialItem::read(json)?),
                    "ConsumedCapacity" => response.capacity_units = capacity_units(json)?,
                    _ => json.skip()?,
                }
                Some(())
            })
        })?;
        Some(response)
    }
}
