//! Where the API is, and how it is reached.

use std::net::IpAddr;
use std::time::Duration;

use anyhow::{Context, ensure};
use reqwest::{ClientBuilder, Url, redirect};

/// The option that selects the API.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ApiAddress {
    // What is asked without an API ignores the variable, which clap would take for the option.
    #[arg(long, value_name = "URL", help = URL_HELP, value_parser = url)]
    url: Option<Url>,
}

const URL_HELP: &str = "The address of the API; on AWS it ends with the stage [env: FEEDBACK_URL] \
                        [default: http://127.0.0.1:3000]";

/// Parses an address, which is one of this machine if it does not say how it is reached.
fn url(text: &str) -> anyhow::Result<Url> {
    let has_scheme = text.contains("://");
    let whole = if has_scheme {
        text.to_owned()
    } else {
        format!("http://{text}")
    };
    let url: Url = whole.parse()?;
    // A secret must not be sent to another machine unencrypted, unless that is asked for.
    ensure!(
        has_scheme || is_local(&url),
        "must begin with https:// or http://"
    );
    Ok(url)
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
    /// Returns the address of the option, of the variable, or the default one.
    pub(super) fn service(&self) -> anyhow::Result<Service> {
        if let Some(url) = &self.url {
            return Ok(Service(url.clone()));
        }
        let url = std::env::var("FEEDBACK_URL").ok();
        let url = url.filter(|url| !url.is_empty());
        let url = self::url(url.as_deref().unwrap_or(DEFAULT_URL));
        Ok(Service(url.context("FEEDBACK_URL is not an address")?))
    }
}

/// The address of an API.
#[derive(Debug, Clone)]
pub(crate) struct Service(Url);

impl Service {
    /// Returns the URL of a path of the API, with this query as it stands.
    pub(crate) fn url(&self, path: &str, query: &str) -> anyhow::Result<Url> {
        let base = self.0.as_str().trim_end_matches('/');
        format!("{base}{path}?{query}")
            .parse()
            .context("--url is not an address")
    }

    /// Builds a client that requests this service alone.
    pub(super) fn http(&self) -> anyhow::Result<reqwest::Client> {
        ensure!(
            matches!(self.0.scheme(), "http" | "https"),
            "--url must begin with https:// or http://"
        );
        // Errors show the address, and a credential in it would replace the header.
        ensure!(
            self.0.username().is_empty() && self.0.password().is_none(),
            "--url must not contain a username or password"
        );
        // Paths and parameters are put behind it.
        ensure!(
            self.0.query().is_none() && self.0.fragment().is_none(),
            "--url must not contain a query or a fragment (? or #)"
        );
        let mut http = builder().read_timeout(SILENCE);
        if is_local(&self.0) {
            http = http.no_proxy();
        }
        http.build().context("cannot build an HTTP client")
    }
}

impl std::fmt::Display for Service {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
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
