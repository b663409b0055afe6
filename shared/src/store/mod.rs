//! The three DynamoDB tables (ARCHITECTURE.md, Item format). Nothing outside this module names the
//! SDK.

mod attributes;
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
use std::time::Duration;

use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Credentials, SharedCredentialsProvider};
use aws_sdk_dynamodb::types::ConsumedCapacity;
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;

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

    /// The store that the standard AWS environment points to: region, credentials,
    /// `AWS_ENDPOINT_URL_DYNAMODB`.
    pub async fn from_env(tables: Tables) -> Self {
        let config = aws_config::defaults(BehaviorVersion::v2026_01_12())
            .timeout_config(timeouts())
            .load()
            .await;
        Self::new(Client::new(&config), tables)
    }

    /// The store behind a DynamoDB-compatible endpoint on this machine or near it, which checks no
    /// signatures, such as the embedded one. Proxies of the environment are not for it.
    pub fn at_endpoint(url: &str, tables: Tables) -> Self {
        let without_proxy = aws_smithy_http_client::Builder::new()
            .tls_provider(Provider::Rustls(CryptoMode::AwsLc))
            .build_https();
        let anyone = Credentials::new("local", "local", None, None, "embedded");
        let config = SdkConfig::builder()
            .behavior_version(BehaviorVersion::v2026_01_12())
            .http_client(without_proxy)
            .region(Region::from_static("us-east-1"))
            .credentials_provider(SharedCredentialsProvider::new(anyone))
            .endpoint_url(url)
            .timeout_config(timeouts())
            .build();
        Self::new(Client::new(&config), tables)
    }
}

/// The SDK has none of its own. A page of 1 MB takes DynamoDB some tens of milliseconds.
fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .operation_attempt_timeout(Duration::from_secs(5))
        .operation_timeout(Duration::from_secs(15))
        .build()
}

fn count_capacity(usage: &Usage, consumed: Option<&ConsumedCapacity>) {
    usage.add_capacity(
        consumed
            .and_then(ConsumedCapacity::capacity_units)
            .unwrap_or_default(),
    );
}
