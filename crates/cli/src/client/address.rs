//! Where the API is, and how it is reached.

use std::net::IpAddr;

use anyhow::{Context as _, ensure};
use reqwest::Url;
use reqwest::header::HeaderValue;
use server::is_loopback;

use super::{Client, KEY_VARIABLE, read_key};

/// The option that selects the API.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ApiAddress {
    // Commands on files and folders ignore the variable, which clap would take for the option.
    #[arg(long, value_name = "URL", help = URL_HELP, value_parser = url)]
    url: Option<Url>,
}

const URL_HELP: &str = "The address of the API; on AWS it ends with the stage [env: FEEDBACK_URL] \
                        [default: http://127.0.0.1:3000]";

/// Parses an address, which is one of this machine if it does not say how it is reached.
pub(crate) fn url(text: &str) -> anyhow::Result<Url> {
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

pub(super) fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let ip = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || ip.is_ok_and(is_loopback)
}

/// Where `feedback serve` serves the API by default.
pub(crate) const DEFAULT_URL: &str = "http://127.0.0.1:3000";

impl ApiAddress {
    /// Makes a client that sends this Read Key, if there is one, with each request.
    pub(crate) fn client(&self, key: Option<HeaderValue>) -> anyhow::Result<Client> {
        let service = match &self.url {
            Some(url) => url.clone(),
            None => of_environment()?,
        };
        Client::new(service, key)
    }

    /// Makes a client that sends the Read Key of the environment; an error says to set it to what is described.
    pub(crate) fn client_with_key(&self, description: &str) -> anyhow::Result<Client> {
        let key = read_key()?;
        self.client(Some(
            key.with_context(|| format!("set {KEY_VARIABLE} to {description}"))?,
        ))
    }
}

fn of_environment() -> anyhow::Result<Url> {
    let variable = std::env::var("FEEDBACK_URL").ok();
    let address = variable.filter(|address| !address.is_empty());
    url(address.as_deref().unwrap_or(DEFAULT_URL)).context("FEEDBACK_URL is not an address")
}
