use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};

use super::attributes::{Attributes, Item, parsed, string};
use super::fault::fault;
use super::{Store, count_capacity};
use crate::error::Error;
use crate::model::{Account, Credential, Digest, ReadKey, Usage};

impl Store {
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
        let found = output.item.map(decode);
        if let Some(None) = found {
            tracing::warn!("a stored credential cannot be decoded and opens nothing");
        }
        Ok(found.flatten())
    }
}

fn decode(item: Item) -> Option<Credential> {
    let mut item = Attributes::new(item);
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
