//! How DynamoDB is reached: credentials, HTTPS, timeouts, and how long throttled reads are repeated.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use aws_config::environment::{
    EnvironmentVariableCredentialsProvider, EnvironmentVariableRegionProvider,
};
use aws_config::meta::region::ProvideRegion;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, SdkConfig};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::interceptors::InterceptorContext;
use aws_sdk_dynamodb::config::retry::{ClassifyRetry, RetryAction, RetryPartition};
use aws_sdk_dynamodb::config::{ProvideCredentials, RuntimeComponents, SharedCredentialsProvider};
use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::operation::query::QueryError;
use aws_smithy_http_client::Connector;
use aws_smithy_http_client::proxy::ProxyConfig;
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::OrchestratorError;

use crate::error::is_throttling;

/// Builds the client of a Lambda function from the variables that Lambda sets, and nothing else:
/// the SDK's credential chain takes most of the time of a cold start.
pub(crate) async fn from_lambda_env(endpoint: Option<String>) -> Result<Client, &'static str> {
    let region = EnvironmentVariableRegionProvider::new()
        .region()
        .await
        .ok_or("AWS_REGION is not set")?;
    let credentials = EnvironmentVariableCredentialsProvider::new();
    if credentials.provide_credentials().await.is_err() {
        return Err("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not both set");
    }
    let mut config = SdkConfig::builder()
        .behavior_version(BehaviorVersion::v2026_01_12())
        .http_client(Https::new(ProxyConfig::from_env()))
        .region(region)
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .timeout_config(timeouts());
    config.set_endpoint_url(endpoint);
    Ok(Client::new(&config.build()))
}

pub(crate) struct Clients {
    pub(crate) users: Client,
    pub(crate) responses: Client,
    pub(crate) credentials: Client,
}

impl Clients {
    /// Makes clients that share the connections of this one. Each has a budget of retries of its own, so that
    /// throttling of one table takes none from the others: by default, all clients of a process share one.
    pub(crate) fn new(client: &Client) -> Self {
        let of_table = |name| {
            let config = client
                .config()
                .to_builder()
                .retry_partition(RetryPartition::custom(name).build())
                .retry_classifier(ThrottlingIsTheCallers);
            Client::from_conf(config.build())
        };
        Self {
            users: of_table("users"),
            responses: of_table("responses"),
            credentials: of_table("credentials"),
        }
    }
}

/// Leaves throttled Queries to their caller, who knows how much time there is and has fewer of them in flight
/// the next time.
#[derive(Debug)]
struct ThrottlingIsTheCallers;

impl ClassifyRetry for ThrottlingIsTheCallers {
    fn name(&self) -> &'static str {
        "ThrottlingIsTheCallers"
    }

    fn classify_retry(&self, context: &InterceptorContext) -> RetryAction {
        let code = context
            .output_or_error()
            .and_then(Result::err)
            .and_then(OrchestratorError::as_operation_error)
            .and_then(|error| error.downcast_ref::<QueryError>())
            .and_then(|error| error.code());
        if code.is_some_and(is_throttling) {
            RetryAction::RetryForbidden
        } else {
            RetryAction::NoActionIndicated
        }
    }
}

/// The time in which a store must answer one attempt of a request. DynamoDB reads a page of 1 MB in some tens
/// of milliseconds.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(5);

/// The time in which a store must answer a request, with all attempts.
pub const READ_TIMEOUT: Duration = Duration::from_secs(15);

/// Returns the timeouts of a request: the SDK sets none.
pub fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .operation_attempt_timeout(ATTEMPT_TIMEOUT)
        .operation_timeout(READ_TIMEOUT)
        .build()
}

/// How long a request that has no deadline, or a long one, waits for its first page, or the next one, while
/// the store throttles.
pub const PATIENCE: Duration = Duration::from_secs(25);

/// Returns how long to wait after a read that was throttled for this time in a row, the first being 1.
pub fn pause(throttled: u32) -> Duration {
    const FIRST: Duration = Duration::from_millis(50);
    FIRST * (1 << throttled.saturating_sub(1).min(4))
}

/// An HTTPS client that loads the root certificates when it first connects. The SDK's own client
/// loads them when it is built, for a connection that it then discards.
#[derive(Debug)]
pub struct Https {
    proxy: ProxyConfig,
    /// By the timeouts to connect and to read.
    connectors: Mutex<HashMap<[Option<Duration>; 2], SharedHttpConnector>>,
}

impl Https {
    pub fn new(proxy: ProxyConfig) -> Self {
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
