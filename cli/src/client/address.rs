//! Where the API is, and how it is reached.

use std::net::IpAddr;
use std::time::Duration;

use anyhow::{Context, ensure};
use reqwest::{ClientBuilder, Url, redirect};

use super::error::UNEXPECTED;

/// The option that selects the API.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ApiAddress {
    /// The address of the API; on AWS it ends with the stage
    #[arg(long, value_name = "URL", default_value = DEFAULT_URL, value_parser = url)]
    #[arg(env = "FEEDBACK_URL", hide_env_values = true)]
    url: Url,
}

/// Parses an address, which is one of this machine if it does not say how it is reached.
fn url(text: &str) -> Result<Url, String> {
    let has_scheme = text.contains("://");
    let whole = if has_scheme {
        text.to_owned()
    } else {
        format!("http://{text}")
    };
    let url: Url = whole.parse().map_err(|error| format!("{error}"))?;
    // A secret must not be sent to another machine unencrypted, unless that is asked for.
    if has_scheme || is_local(&url) {
        Ok(url)
    } else {
        Err("must begin with https:// or http://".to_owned())
    }
}

fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let ip = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || ip.is_ok_and(|ip| ip.to_canonical().is_loopback())
}

/// Where `feedback serve` serves the API by default.
pub(crate) const DEFAULT_URL: &str = "http://127.0.0.1:3000";

/// How long the service may send nothing: somewhat longer than API Gateway lets a function take.
pub(super) const SILENCE: Duration = Duration::from_secs(35);

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
    pub(super) fn http(&self) -> anyhow::Result<reqwest::Client> {
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
        let mut http = builder().read_timeout(SILENCE);
        if is_local(&self.url) {
            http = http.no_proxy();
        }
        http.build().context("cannot build an HTTP client")
    }
}

impl std::fmt::Display for ApiAddress {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.url.fmt(formatter)
    }
}

/// Builds clients.
fn builder() -> ClientBuilder {
    // The SDK uses the same implementation of cryptography.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // A redirect could lead the credential to another host.
    reqwest::Client::builder().redirect(redirect::Policy::none())
}

/// Returns whether this address of the machine answers soon, with this value of a header.
pub(crate) async fn answers_as(url: &str, header: &str, value: &str) -> bool {
    const LIMIT: Duration = Duration::from_secs(5);
    let Ok(http) = builder().no_proxy().timeout(LIMIT).build() else {
        return false;
    };
    let answer = http.get(url).send().await;
    answer.is_ok_and(|it| it.headers().get(header).is_some_and(|it| it == value))
}

pub(super) fn has_no_credential(url: &Url) -> bool {
    url.username().is_empty() && url.password().is_none()
}
