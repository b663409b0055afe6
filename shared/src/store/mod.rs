//! Reads the service's three DynamoDB tables (ARCHITECTURE.md, Item format). Nothing here writes,
//! and a [`Store`] does not expose its client.

mod body;
mod checksum;
mod connection;
mod credentials;
mod dynamodb;
mod error;
mod index;
mod page;
mod read;
mod responses;
mod users;

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_types::body::SdkBody;
use futures_util::future::join_all;
use tokio::time::timeout;

use crate::config::Tables;

use connection::{Clients, OPERATION_TIMEOUT};
pub use connection::{Https, timeouts};
pub use credentials::decode_credential;
use dynamodb::DynamoDb;
pub use error::{Error, ErrorKind, is_throttled};
pub use index::OutcomesIndex;
use page::Pages;
pub use page::{Scalar, Text, json_number};
pub use read::{Attributes, Item, KeyRange, LocalRead, LocalStore, PageRead, PagedTable};
pub use responses::{
    RecordDetail, RecordSelection, ResponsePage, ResponsePages, ResponseRow, decode_outcome,
};
pub use users::{UserPages, UserRow};

/// The tables of one AWS account, or of one data folder. Cloning it is cheap.
#[derive(Debug, Clone)]
pub struct Store(Source);

/// Where the items are.
#[derive(Debug, Clone)]
enum Source {
    DynamoDb(Arc<DynamoDb>),
    Local(Arc<dyn LocalStore>),
}

impl Store {
    /// Makes a store that reads these tables through this client, and the index of outcomes of this name, if there
    /// is one.
    pub fn new(client: &Client, tables: Tables, outcomes: Option<String>) -> Self {
        Self::with(Clients::new(client), tables, outcomes)
    }

    /// Makes the store of a Lambda function, with region, credentials and
    /// `AWS_ENDPOINT_URL_DYNAMODB` from the environment, and the index of outcomes of this name, if there is one.
    ///
    /// # Errors
    ///
    /// Names the variable that is missing.
    pub async fn from_lambda_env(
        tables: Tables,
        outcomes: Option<String>,
    ) -> Result<Self, &'static str> {
        let client = connection::from_lambda_env().await?;
        Ok(Self::with(Clients::shared(client), tables, outcomes))
    }

    /// Makes a store that reads the tables of this process.
    pub fn local(store: Arc<dyn LocalStore>) -> Self {
        Self(Source::Local(store))
    }

    fn with(clients: Clients, tables: Tables, outcomes: Option<String>) -> Self {
        Self(Source::DynamoDb(Arc::new(DynamoDb {
            clients,
            tables,
            outcomes: outcomes.map(OutcomesIndex::new),
        })))
    }

    fn pages(&self, first: PageRead) -> Pages {
        Pages::new(self.0.clone(), first)
    }

    /// Opens this many connections ahead of the first request, with a read on each. Ignores
    /// failures, and takes at most a second.
    pub async fn warm_up(&self, connections: u8) {
        const LIMIT: Duration = Duration::from_secs(1);
        let Source::DynamoDb(store) = &self.0 else {
            return;
        };
        let reads = (0..connections).map(|_| {
            store
                .clients
                .credentials
                .get_item()
                .table_name(&store.tables.credentials)
                .key("digest", AttributeValue::S("warm-up".to_owned()))
                .send()
        });
        let _ = timeout(LIMIT, join_all(reads)).await;
    }
}

impl Source {
    /// Reads a page; returns the body of a Query's response.
    async fn page(self, read: PageRead) -> Result<SdkBody, Error> {
        match self {
            Self::DynamoDb(store) => store.page(read).await,
            Self::Local(store) => {
                let operation = read.operation();
                in_time(operation, store.page(read))
                    .await
                    .map(SdkBody::from)
            }
        }
    }
}

/// Ends a read of a local store that takes as long as the SDK gives a read.
async fn in_time<T>(operation: &'static str, read: LocalRead<T>) -> Result<T, Error> {
    let late = || Error::new(ErrorKind::Unavailable, operation, "timeout");
    timeout(OPERATION_TIMEOUT, read)
        .await
        .unwrap_or_else(|_| Err(late()))
}
