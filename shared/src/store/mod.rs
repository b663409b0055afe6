//! The three DynamoDB tables (ARCHITECTURE.md, Item format). Nothing outside this module names the
//! SDK.

mod attributes;
mod client;
mod credentials;
mod fault;
mod import;
mod item;
mod page;
mod records;
mod responses;
mod tables;
mod users;
mod write;

use std::sync::Arc;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::ConsumedCapacity;

use crate::config::Tables;
use crate::model::Usage;

pub use credentials::StoredCredential;
pub use import::Imported;
pub use item::NewItem;
pub use records::{ResponseKey, Whole, WholePages};
pub use responses::ResponsePages;
pub use users::{UserList, UserPages};

/// The tables of one account or one embedded server. Cloning it is cheap.
#[derive(Debug, Clone)]
pub struct Store {
    client: Client,
    tables: Arc<Tables>,
}

impl Store {
    /// A store over this client.
    pub fn new(client: Client, tables: Tables) -> Self {
        Self {
            client,
            tables: Arc::new(tables),
        }
    }

    /// The store of a Lambda function: region, credentials and `AWS_ENDPOINT_URL_DYNAMODB` from the
    /// environment. `Err` says what is missing there.
    pub async fn of_function(tables: Tables) -> Result<Self, &'static str> {
        Ok(Self::new(client::of_function().await?, tables))
    }

    /// The store that the AWS environment points to, profiles and roles included.
    pub async fn of_environment(tables: Tables) -> Self {
        Self::new(client::of_environment().await, tables)
    }

    /// The store behind a DynamoDB-compatible endpoint on this machine or near it, which checks no
    /// signatures, such as the embedded one.
    pub fn at_endpoint(url: &str, tables: Tables) -> Self {
        Self::new(client::of_endpoint(url), tables)
    }
}

fn count_capacity(usage: &Usage, consumed: Option<&ConsumedCapacity>) {
    usage.add_capacity(
        consumed
            .and_then(ConsumedCapacity::capacity_units)
            .unwrap_or_default(),
    );
}
