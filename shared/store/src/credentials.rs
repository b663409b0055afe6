//! Reads credentials.

use model::items::{CredentialItem, Json};
use model::{Credential, Digest, Usage};

use crate::dynamodb::READ_CREDENTIAL;
use crate::error::{Error, ErrorKind};
use crate::query_page::capacity_units;
use crate::{Location, Store, in_time};

impl Store {
    /// Reads the credential with this digest. The read is strongly consistent, so a revoked
    /// credential is absent at once.
    pub async fn credential(
        &self,
        digest: &Digest,
        usage: &Usage,
    ) -> Result<Option<Credential>, Error> {
        match &self.0 {
            Location::DynamoDb(store) => {
                let body = store.credential(digest).await?;
                let response =
                    GetItemResponse::read(body.bytes().unwrap_or_default()).ok_or_else(damaged)?;
                usage.add(|totals| totals.capacity_units += response.capacity_units);
                Ok(response.item.as_ref().and_then(decode))
            }
            Location::Local(store) => {
                // What DynamoDB consumes for the consistent read of a small item.
                usage.add(|totals| totals.capacity_units += 1.0);
                let Some(json) = in_time(READ_CREDENTIAL, store.credential(*digest)).await? else {
                    return Ok(None);
                };
                let item = Json::read(&json, CredentialItem::read).ok_or_else(damaged)?;
                Ok(decode(&item))
            }
        }
    }
}

/// Decodes a credential. A damaged one authorizes nothing.
fn decode(item: &CredentialItem<'_>) -> Option<Credential> {
    let credential = item.credential();
    if credential.is_none() {
        tracing::warn!("a stored credential cannot be decoded and authorizes nothing");
    }
    credential
}

fn damaged() -> Error {
    Error::new(ErrorKind::Damaged, READ_CREDENTIAL, "not an item")
}

/// The JSON of a response to `GetItem`.
#[derive(Default)]
struct GetItemResponse<'a> {
    item: Option<CredentialItem<'a>>,
    capacity_units: f64,
}

impl<'a> GetItemResponse<'a> {
    /// Reads a response; returns `None` if it is malformed.
    fn read(body: &'a [u8]) -> Option<Self> {
        let mut response = Self::default();
        Json::read(str::from_utf8(body).ok()?, |json| {
            json.object(|json, name| {
                match &*name {
                    "Item" => response.item = Some(CredentialItem::read(json)?),
                    "ConsumedCapacity" => response.capacity_units = capacity_units(json)?,
                    _ => json.skip()?,
                }
                Some(())
            })
        })?;
        Some(response)
    }
}
