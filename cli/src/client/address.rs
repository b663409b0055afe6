//! Where the API is, and how it is reached.

use std::net::IpAddr;
use std::time::Duration;

use anyhow::{Context, anyhow, ensure};
use reqwest::{RequestBuilder, Response, Url, redirect};
use tokio::time::timeout;

use super::error::{UNEXPECTED, first_cause, is_no_tls};

/// The option that selects the API.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ApiAddress {
    /// The address of the API; on AWS it ends with the stage
    #[arg(long, value_name = "URL", default_value = DEFAULT_URL)]
    #[arg(env = "FEEDBACK_URL", hide_env_values = true)]
    url: Url,
}

/// Where `feedback serve` serves the API by default.
pub(crate) const DEFAULT_URL: &str = "http://127.0.0.1:3000";

/// Somewhat longer than API Gateway lets a function take.
const UNTIL_HEAD: Duration = Duration::from_secs(35);

impl ApiAddress {
    /// Returns the URL of a path of the API, with this query as it stands.
    pub(crate) fn url(&self, path: &str, query: &str) -> anyhow::Result<Url> {
        let base = self.url.as_str().trim_end_matches('/');
        format!("{base}{path}?{query}")
            .parse()
            .context("--url is not an address")
    }

    /// Resolves a reference of one of its responses.
    pub(super) fn join(&self, link: &str) -> anyhow::Result<Url> {
        self.url.join(link).context(UNEXPECTED)
    }

    /// Builds a client that requests this service alone.
    pub(crate) fn http(&self) -> anyhow::Result<reqwest::Client> {
        self.client_of(self.is_local())
    }

    /// Builds it, without a proxy if it reaches this machine.
    fn client_of(&self, is_local: bool) -> anyhow::Result<reqwest::Client> {
        ensure!(
            matches!(self.url.scheme(), "http" | "https"),
            "--url must begin with https:// or http://"
        );
        // Errors show the address, and a credential in it would replace the header.
        ensure!(
            has_no_credential(&self.url),
            "--url must not contain a username or password"
        );
        // Paths and parameters are put behind it.
        ensure!(
            self.url.query().is_none() && self.url.fragment().is_none(),
            "--url must not contain a query or a fragment (? or #)"
        );
        // The SDK uses the same implementation of cryptography.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // A redirect could lead the credential to another host.
        let mut http = reqwest::Client::builder().redirect(redirect::Policy::none());
        if is_local {
            http = http.no_proxy();
        }
        http.build().context("cannot build an HTTP client")
    }

    fn is_local(&self) -> bool {
        let host = self.url.host_str().unwrap_or_default();
        let ip = host.trim_matches(['[', ']']).parse::<IpAddr>();
        host == "localhost" || ip.is_ok_and(|ip| ip.to_canonical().is_loopback())
    }

    /// Sends a request to this service, and waits for the head of its response.
    pub(crate) async fn send(&self, request: RequestBuilder) -> anyhow::Result<Response> {
        let response = timeout(UNTIL_HEAD, request.send()).await.map_err(|_| {
            let seconds = UNTIL_HEAD.as_secs();
            anyhow!("{self} did not answer within {seconds} seconds")
        })?;
        response.map_err(|error| {
            if self.url.scheme() == "https" && is_no_tls(&error) {
                return anyhow!("{self} answers http, not https");
            }
            let cause = first_cause(&error);
            anyhow!(
                "cannot reach {self}: {cause}; is the service running there (feedback serve, --url)?"
            )
        })
    }
}

impl std::fmt::Display for ApiAddress {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.url.fmt(formatter)
    }
}

/// Returns whether this address of the machine answers soon, with this value of a header.
pub(crate) async fn answers_as(url: &str, header: &str, value: &str) -> bool {
    const LIMIT: Duration = Duration::from_secs(5);
    let answer = async {
        let service = ApiAddress {
            url: url.parse().ok()?,
        };
        let response = service
            .client_of(true)
            .ok()?
            .get(service.url.clone())
            .send()
            .await
            .ok()?;
        Some(response.headers().get(header)? == value)
    };
    timeout(LIMIT, answer).await.ok().flatten().unwrap_or(false)
}

pub(super) fn has_no_credential(url: &Url) -> bool {
    url.username().is_empty() && url.password().is_none()
}
