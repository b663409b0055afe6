//! Builds clients of DynamoDB.

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Credentials, SharedCredentialsProvider};
use aws_smithy_http_client::proxy::ProxyConfig;
use aws_types::service_config::ServiceConfigKey;
use shared::store::{Https, timeouts};

use super::place::Place;

/// Builds a client from the standard AWS configuration chain, and returns where it connects.
pub(super) async fn from_default_chain() -> (Client, Place<'static>) {
    let config = aws_config::defaults(BehaviorVersion::v2026_01_12())
        .http_client(Https::new(ProxyConfig::from_env()))
        .timeout_config(timeouts())
        .load()
        .await;
    let place = match endpoint(&config) {
        Some(url) => Place::Endpoint(url),
        None => Place::Region(config.region().map(ToString::to_string)),
    };
    (Client::new(&config), place)
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
