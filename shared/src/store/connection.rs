//! The SDK's client: where it asks, as whom, over which HTTPS.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use aws_config::environment::{
    EnvironmentVariableCredentialsProvider, EnvironmentVariableRegionProvider,
};
use aws_config::meta::region::ProvideRegion;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{
    Credentials, ProvideCredentials, RuntimeComponents, SharedCredentialsProvider,
};
use aws_smithy_http_client::Connector;
use aws_smithy_http_client::proxy::ProxyConfig;
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnectorSettings, SharedHttpConnector,
};

use crate::config;

/// Of a function: what Lambda puts into its environment, and nothing that would have to be looked
/// for. The SDK's chain of places for credentials is most of a start.
pub(super) async fn of_function() -> Result<Client, &'static str> {
    let region = EnvironmentVariableRegionProvider::new();
    let region = region.region().await.ok_or("AWS_REGION is not set")?;
    let credentials = EnvironmentVariableCredentialsProvider::new();
    if credentials.provide_credentials().await.is_err() {
        return Err("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not both set");
    }
    let endpoint = config::endpoint();
    let proxy = ProxyConfig::from_env();
    Ok(client(region, credentials, endpoint.as_deref(), proxy))
}

/// Of whoever is at work: region, credentials and endpoint from wherever the AWS tools find them.
pub(super) async fn of_environment() -> Client {
    let config = aws_config::defaults(BehaviorVersion::v2026_01_12())
        .http_client(Https::through(ProxyConfig::from_env()))
        .timeout_config(timeouts())
        .load()
        .await;
    Client::new(&config)
}

/// Of an endpoint on this machine or near it, which checks no signatures. Proxies of the environment
/// are not for it.
pub(super) fn of_endpoint(url: &str) -> Client {
    let region = Region::from_static("us-east-1");
    let anyone = Credentials::new("local", "local", None, None, "embedded");
    client(region, anyone, Some(url), ProxyConfig::disabled())
}

fn client(
    region: Region,
    credentials: impl ProvideCredentials + 'static,
    endpoint: Option<&str>,
    proxy: ProxyConfig,
) -> Client {
    let mut config = SdkConfig::builder()
        .behavior_version(BehaviorVersion::v2026_01_12())
        .http_client(Https::through(proxy))
        .region(region)
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .timeout_config(timeouts());
    config.set_endpoint_url(endpoint.map(str::to_owned));
    Client::new(&config.build())
}

/// The SDK has none of its own. A page of 1 MB takes DynamoDB some tens of milliseconds.
fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .operation_attempt_timeout(Duration::from_secs(5))
        .operation_timeout(Duration::from_secs(15))
        .build()
}

/// HTTPS that reads the roots of trust when it first connects. The SDK's own client does it when it
/// is made, on a connection that it throws away.
#[derive(Debug)]
struct Https {
    proxy: ProxyConfig,
    /// By their time-outs: to connect, to read.
    connectors: Mutex<HashMap<[Option<Duration>; 2], SharedHttpConnector>>,
}

impl Https {
    fn through(proxy: ProxyConfig) -> Self {
        Self {
            proxy,
            connectors: Mutex::default(),
        }
    }
}

impl HttpClient for Https {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        let connect = || {
            let mut connector = Connector::builder()
                .tls_provider(Provider::Rustls(CryptoMode::Ring))
                .proxy_config(self.proxy.clone())
                .connector_settings(settings.clone());
            connector.set_sleep_impl(components.sleep_impl());
            SharedHttpConnector::new(connector.build())
        };
        let timeouts = [settings.connect_timeout(), settings.read_timeout()];
        let mut connectors = self
            .connectors
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        connectors.entry(timeouts).or_insert_with(connect).clone()
    }
}
