//! Builds clients of DynamoDB.

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Credentials, SharedCredentialsProvider};
use aws_smithy_http_client::proxy::ProxyConfig;
use shared::store::{Https, timeouts};

/// Builds a client from the standard AWS configuration chain.
pub(super) async fn from_default_chain() -> Client {
    let config = aws_config::defaults(BehaviorVersion::v2026_01_12())
        .http_client(Https::new(ProxyConfig::from_env()))
        .timeout_config(timeouts())
        .load()
        .await;
    Client::new(&config)
}

/// Builds a client of an endpoint that does not check signatures. It ignores the proxies of the
/// environment, because the endpoint is near.
pub(super) fn for_endpoint(url: &str) -> Client {
    let credentials = Credentials::new("local", "local", None, None, "embedded");
    let config = SdkConfig::builder()
        .behavior_version(BehaviorVersion::v2026_01_12())
        .http_client(Https::new(ProxyConfig::disabled()))
        .region(Region::from_static("us-east-1"))
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .timeout_config(timeouts())
        .endpoint_url(url)
        .build();
    Client::new(&config)
}
