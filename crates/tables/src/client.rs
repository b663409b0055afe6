//! Builds clients of DynamoDB.

use anyhow::bail;
use aws_config::{BehaviorVersion, SdkConfig};
use aws_sdk_dynamodb::Client;
use aws_smithy_http_client::proxy::ProxyConfig;
use aws_types::service_config::ServiceConfigKey;
use store::{Https, timeouts};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DynamoDbLocation {
    Endpoint(String),
    Region(String),
}

/// Builds a client from the standard AWS configuration chain, and returns where it connects. Fails if an
/// endpoint is set to nothing (the SDK would panic, and the region's own may not be what was meant) or has a
/// login, or if there is neither an endpoint nor a region.
pub(super) async fn from_default_chain() -> anyhow::Result<(Client, DynamoDbLocation)> {
    let config = aws_config::defaults(BehaviorVersion::v2026_01_12())
        .http_client(Https::new(ProxyConfig::from_env()))
        .timeout_config(timeouts())
        .load()
        .await;
    let place = match endpoint(&config) {
        Some(url) if url.is_empty() => bail!(
            "the address of DynamoDB is empty: unset AWS_ENDPOINT_URL_DYNAMODB (or AWS_ENDPOINT_URL) \
             to use an AWS account"
        ),
        // Commands print the address.
        Some(url) if url.contains('@') => {
            bail!("the address of DynamoDB must not contain a username or password, or any @")
        }
        Some(url) => DynamoDbLocation::Endpoint(url),
        None => match config.region() {
            Some(region) => DynamoDbLocation::Region(region.to_string()),
            None => {
                bail!("Where? Add --data ./data for a folder, or set AWS_REGION for an account")
            }
        },
    };
    Ok((Client::new(&config), place))
}

/// Returns the endpoint that replaces DynamoDB's own, as the SDK finds it.
fn endpoint(config: &SdkConfig) -> Option<String> {
    let key = ServiceConfigKey::builder()
        .service_id("DynamoDB")
        .env("AWS_ENDPOINT_URL")
        .profile("endpoint_url")
        .build();
    let of_service = key
        .ok()
        .and_then(|key| config.service_config()?.load_config(key));
    of_service.or_else(|| config.endpoint_url().map(str::to_owned))
}
