//! Reads the service's three DynamoDB tables (ARCHITECTURE.md, Item format). Nothing here writes,
//! and a [`Store`] does not expose its client.

mod checksum;
mod connection;
mod credentials;
mod error;
mod index;
mod local;
mod page;
mod responses;
mod users;

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::join_all;

use crate::config::Tables;

use connection::Clients;
pub use connection::{Https, timeouts};
pub use credentials::decode_credential;
pub use error::{Error, ErrorKind, is_throttled};
pub use index::OutcomesIndex;
pub use local::{LocalResponse, LocalStore};
use page::Pages;
pub use page::{Scalar, Text, json_number};
pub use responses::{ResponsePage, ResponsePages, ResponseRow, decode_outcome};
pub use users::{UserPages, UserRow};

/// The tables of one AWS account, or of one embedded store. Cloning it is cheap.
#[derive(Debug, Clone)]
pub struct Store {
    clients: Arc<Clients>,
    tables: Arc<Tables>,
    local: Option<Arc<dyn LocalStore>>,
    outcomes: Option<Arc<OutcomesIndex>>,
}

impl Store {
    /// Makes a store that reads these tables through this client.
    pub fn new(client: &Client, tables: Tables) -> Self {
        Self::with(Clients::new(client), tables)
    }

    fn with(clients: Clients, tables: Tables) -> Self {
        Self {
            clients: Arc::new(clients),
            tables: Arc::new(tables),
            local: None,
            outcomes: None,
        }
    }

    /// Makes the store of a Lambda function, with region, credentials and
    /// `AWS_ENDPOINT_URL_DYNAMODB` from the environment.
    ///
    /// # Errors
    ///
    /// Names the variable that is missing.
    pub async fn from_lambda_env(tables: Tables) -> Result<Self, &'static str> {
        let client = connection::from_lambda_env().await?;
        Ok(Self::with(Clients::shared(client), tables))
    }

    /// Makes the same store, whose Queries `local` answers from the same tables.
    #[must_use]
    pub fn with_local(self, local: Arc<dyn LocalStore>) -> Self {
        Self {
            local: Some(local),
            ..self
        }
    }

    /// Makes the pages of a Query; `operation` names it in errors.
    fn pages(&self, query: QueryFluentBuilder, operation: &'static str) -> Pages {
        Pages::new(query, operation, self.local.clone())
    }

    /// Opens this many connections ahead of the first request, with a read on each. Ignores
    /// failures, and takes at most a second.
    pub async fn warm_up(&self, connections: u8) {
        const LIMIT: Duration = Duration::from_secs(1);
        let reads = (0..connections).map(|_| {
            self.clients
                .credentials
                .get_item()
                .table_name(&self.tables.credentials)
                .key("digest", AttributeValue::S("warm-up".to_owned()))
                .send()
        });
        let _ = tokio::time::timeout(LIMIT, join_all(reads)).await;
    }
}
