//! A client of the API. It reads its credentials from the environment, where other users of the
//! machine do not see them.

mod address;
mod refused;

use std::error::Error;
use std::time::Duration;

use anyhow::{Context, anyhow, bail, ensure};
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Response, StatusCode, Url, redirect};
use service::response::SKIPPED_RECORDS;

use crate::lifecycle::Usage;
use address::is_local;
pub(crate) use address::{ApiAddress, DEFAULT_URL, url};
pub(crate) use refused::Refused;

/// The context of a response that cannot be decoded.
pub(crate) const UNEXPECTED: &str = "the service returned an unexpected response";

const KEY_VARIABLE: &str = "FEEDBACK_READ_KEY";

/// The name of the key in errors.
const KEY: &str = "the Read Key in FEEDBACK_READ_KEY";

pub(crate) const AUTH_KEY: HeaderName = HeaderName::from_static("authkey");

/// Returns the Read Key of the environment, if it is set there, as a header that is never shown.
pub(crate) fn read_key() -> anyhow::Result<Option<HeaderValue>> {
    let key = std::env::var(KEY_VARIABLE).ok();
    let Some(key) = key.filter(|key| !key.is_empty()) else {
        return Ok(None);
    };
    // The cause would quote the key.
    let Ok(mut key) = HeaderValue::from_str(&key) else {
        bail!("{KEY} contains characters that a header cannot carry");
    };
    key.set_sensitive(true);
    Ok(Some(key))
}

pub(crate) struct StatisticsDocument {
    pub(crate) text: String,
    /// How many records of the period could not be read, and are not counted (contract, section 4).
    pub(crate) skipped: u64,
}

/// How long the service may send nothing: somewhat longer than API Gateway lets a function take.
const SILENCE: Duration = Duration::from_secs(35);

/// Sends requests to one service, with a Read Key or none. Cloning it is cheap.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    pub(crate) service: Url,
    key: Option<HeaderValue>,
}

impl Client {
    /// Makes a client that requests this service alone, and sends this Read Key, if there is one, with each request.
    pub(crate) fn new(service: Url, key: Option<HeaderValue>) -> anyhow::Result<Self> {
        let usage = |problem: &str| Usage(format!("--url must {problem}"));
        let is_http = matches!(service.scheme(), "http" | "https");
        ensure!(is_http, usage("begin with https:// or http://"));
        // Errors show the address, and a credential in it would replace the header.
        let is_anonymous = service.username().is_empty() && service.password().is_none();
        ensure!(is_anonymous, usage("not contain a username or password"));
        // Paths and parameters are put behind it.
        let is_whole = service.query().is_none() && service.fragment().is_none();
        ensure!(
            is_whole,
            usage("not contain a query or a fragment (? or #)")
        );
        // The SDK uses the same implementation of cryptography.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // A redirect could lead the credential to another host.
        let mut http = reqwest::Client::builder()
            .redirect(redirect::Policy::none())
            .read_timeout(SILENCE);
        if is_local(&service) {
            http = http.no_proxy();
        }
        let http = http.build().context("cannot build an HTTP client")?;
        Ok(Self { http, service, key })
    }

    /// Requests statistics with the parameters of this query.
    pub(crate) async fn statistics(&self, query: &str) -> anyhow::Result<StatisticsDocument> {
        let response = self.get(response_statistics::PATH, query).await?;
        let count = response.headers().get(SKIPPED_RECORDS);
        let skipped = count.and_then(|count| count.to_str().ok()?.parse().ok());
        Ok(StatisticsDocument {
            skipped: skipped.unwrap_or_default(),
            text: read_document(response).await?,
        })
    }

    /// Makes a request of a path of the API, with this query as it stands, and with the key if there is one.
    pub(crate) fn request(&self, path: &str, query: &str) -> RequestBuilder {
        let mut url = self.service.clone();
        url.set_path(&format!("{}{path}", url.path().trim_end_matches('/')));
        url.set_query(Some(query));
        let request = self.http.get(url);
        match &self.key {
            Some(key) => request.header(AUTH_KEY, key),
            None => request,
        }
    }

    /// Sends a request, and waits for the head of its response.
    pub(crate) async fn send(&self, request: RequestBuilder) -> anyhow::Result<Response> {
        let Self { service, .. } = self;
        request.send().await.map_err(|error| {
            let cause = first_cause(&error);
            if error.is_timeout() {
                let seconds = SILENCE.as_secs();
                return anyhow!("{service} did not answer within {seconds} seconds");
            }
            anyhow!(
                "cannot reach {service}: {cause}; is the service running there (feedback serve, --url)?"
            )
        })
    }

    /// Requests a path of the API with this query, and returns the response if it succeeded.
    async fn get(&self, path: &str, query: &str) -> anyhow::Result<Response> {
        let response = self.send(self.request(path, query)).await?;
        let service = &self.service;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let body = read_document(response).await?;
        let is_beyond = service.path().trim_end_matches('/').ends_with("/api")
            || service.path().contains("/api/");
        ensure!(
            status != StatusCode::NOT_FOUND || !is_beyond,
            "{service} has no {path}: --url ends before /api"
        );
        let Ok(refused) = serde_json::from_str::<Refused>(&body) else {
            bail!("{service} returned {status}, and not as this API does")
        };
        match status {
            StatusCode::UNAUTHORIZED if self.key.is_some() => {
                bail!("{KEY} is wrong: {service} does not know it, or it was revoked")
            }
            StatusCode::FORBIDDEN if self.key.is_some() && refused.has_code("forbidden") => {
                bail!("{KEY} is not for this project")
            }
            _ => Err(anyhow::Error::new(refused).context("the service refused the request")),
        }
    }
}

/// Somewhat more than the largest response of the API that is not streamed.
const MAX_DOCUMENT: usize = 8 << 20;

/// Reads the whole body of a response that the API limits.
pub(crate) async fn read_document(mut response: Response) -> anyhow::Result<String> {
    let incomplete = |error: reqwest::Error| {
        let cause = if error.is_timeout() {
            format!("nothing arrived for {} seconds", SILENCE.as_secs())
        } else {
            first_cause(&error)
        };
        anyhow!("the response is incomplete: {cause}")
    };
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(incomplete)? {
        body.extend_from_slice(&piece);
        ensure!(
            body.len() <= MAX_DOCUMENT,
            "the response of the service is too large: it has more than 8 MB"
        );
    }
    String::from_utf8(body).context(UNEXPECTED)
}

/// Returns the first cause. The errors around it say only that sending failed.
pub(crate) fn first_cause(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    causes.last().unwrap_or(error).to_string()
}
