//! The tables as requests read them.

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use futures_util::future::join_all;
use items::{ItemMembers, TableNames};
use tokio::time::timeout;

use crate::connection;
use crate::dynamodb::DynamoDb;
use crate::error::{Error, ErrorKind};
use crate::table_reader::{READ_CREDENTIAL, TableReader};
use crate::usage::ReadUsage;

/// The tables as requests read them. Cloning it is cheap.
#[derive(Clone)]
pub struct Store(pub(crate) Arc<dyn TableReader>);

impl Store {
    pub fn new(tables: Arc<dyn TableReader>) -> Self {
        Self(tables)
    }

    /// Makes a store that reads these tables through this client, and the index of outcomes of this name.
    /// Without a name, the table of responses is read instead.
    pub fn of_dynamodb(client: &Client, tables: TableNames, index: Option<String>) -> Self {
        Self::new(Arc::new(DynamoDb::new(client, tables, index)))
    }

    /// Makes the store of a Lambda function, at this endpoint if there is one, with region and credentials from
    /// the environment.
    ///
    /// # Errors
    ///
    /// Names the variable that is missing.
    pub async fn from_lambda_env(
        tables: TableNames,
        index: Option<String>,
        endpoint: Option<String>,
    ) -> Result<Self, &'static str> {
        let client = connection::from_lambda_env(endpoint).await?;
        Ok(Self::of_dynamodb(&client, tables, index))
    }

    /// Reads the item of the credential with this digest, in DynamoDB's JSON. The read is strongly consistent, so a
    /// revoked credential is absent at once.
    pub async fn credential(
        &self,
        digest: String,
        usage: &ReadUsage,
    ) -> Result<Option<String>, Error> {
        let read = self.0.credential(digest.clone()).await?;
        usage.add(|totals| totals.capacity_units += read.capacity_units);
        let damaged = |code| Error::new(ErrorKind::Damaged, READ_CREDENTIAL, code);
        if let Some(json) = &read.item {
            let item = ItemMembers::of_item(json).ok_or_else(|| damaged("not an item"))?;
            // Another item would authorize somebody else.
            if item.string("digest").as_deref() != Some(&digest) {
                return Err(damaged("the item of another key"));
            }
        }
        Ok(read.item)
    }

    /// Returns how many pages of a project's response records a request may read at the same time, after the
    /// first of each shard.
    pub fn concurrent_pages(&self) -> usize {
        self.0.concurrent_pages()
    }

    /// Opens this many connections ahead of the first request, with a read on each. Ignores
    /// failures, and takes at most a second.
    pub async fn warm_up(&self, connections: u8) {
        const LIMIT: Duration = Duration::from_secs(1);
        let reads = (0..connections).map(|_| self.0.credential(ABSENT.to_owned()));
        let _ = timeout(LIMIT, join_all(reads)).await;
    }
}

/// A key that no item has: it is neither a digest nor the id of a user of the project with this id.
pub(crate) const ABSENT: &str = "-";
