//! A client of the API. It reads its credentials from the environment, where other users of the
//! machine do not see them.

mod address;
mod error;

use anyhow::{Context, anyhow, bail, ensure};
use axum::body::Bytes;
use form_urlencoded::Serializer;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Response, StatusCode, Url};
use service::http::SKIPPED_RECORDS;

pub(crate) use address::{ApiAddress, DEFAULT_URL, answers_as};
use address::{SILENCE, Service};
use error::is_without_tls;
pub(crate) use error::{Refused, UNEXPECTED, first_cause};

/// A header with a credential. It has no `Debug`, so it is never shown.
#[derive(Clone)]
pub(crate) struct SecretHeader {
    name: HeaderName,
    value: HeaderValue,
    /// What the credential is, and where it comes from.
    description: &'static str,
}

/// Reads a variable of the environment; fails if it is not set.
pub(crate) fn required_env(name: &str, description: &str) -> anyhow::Result<String> {
    std::env::var(name)
        .ok()
        .filter(|value| !value.is_empty())
        .with_context(|| format!("set {name} to {description}"))
}

impl SecretHeader {
    fn new(name: HeaderName, value: &str, description: &'static str) -> anyhow::Result<Self> {
        // The cause would quote the credential.
        let Ok(mut value) = HeaderValue::from_str(value) else {
            bail!("{description} contains characters that a header cannot carry");
        };
        value.set_sensitive(true);
        Ok(Self {
            name,
            value,
            description,
        })
    }

    pub(crate) fn read_key(key: &str) -> anyhow::Result<Self> {
        let name = HeaderName::from_static("authkey");
        Self::new(name, key, "the Read Key in FEEDBACK_READ_KEY")
    }
}

/// Statistics as the API returns them.
pub(crate) struct StatisticsDocument {
    pub(crate) text: String,
    /// How many records of the period could not be read, and are not counted (contract, section 4).
    pub(crate) skipped: u64,
}

/// Sends requests to one service, with one credential or none. Cloning it is cheap.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    pub(crate) service: Service,
    header: Option<SecretHeader>,
}

impl ApiAddress {
    /// Makes a client that sends this credential, if there is one, with each request.
    pub(crate) fn client(&self, header: impl Into<Option<SecretHeader>>) -> anyhow::Result<Client> {
        let service = self.service()?;
        Ok(Client {
            http: service.http()?,
            service,
            header: header.into(),
        })
    }
}

impl Client {
    /// Returns whether a credential is sent.
    pub(crate) fn has_credential(&self) -> bool {
        self.header.is_some()
    }

    /// Returns the URL of this path with these parameters.
    pub(crate) fn url(&self, path: &str, parameters: &[(&str, String)]) -> anyhow::Result<Url> {
        let query = Serializer::new(String::new())
            .extend_pairs(parameters)
            .finish();
        self.service.url(path, &query)
    }

    /// Requests statistics with these parameters.
    pub(crate) async fn statistics(
        &self,
        parameters: &[(&str, String)],
    ) -> anyhow::Result<StatisticsDocument> {
        let url = self.url(response_statistics::PATH, parameters)?;
        let response = self.get(url).await?;
        let skipped = response.headers().get(SKIPPED_RECORDS);
        let skipped = skipped.and_then(|count| count.to_str().ok()?.parse().ok());
        Ok(StatisticsDocument {
            skipped: skipped.unwrap_or_default(),
            text: read_document(response).await?,
        })
    }

    /// Makes a request with the credential, if there is one.
    pub(crate) fn request(&self, url: Url) -> RequestBuilder {
        let request = self.http.get(url);
        match &self.header {
            Some(header) => request.header(&header.name, &header.value),
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
            if is_without_tls(&error) {
                return anyhow!("{service} answers http, not https");
            }
            anyhow!(
                "cannot reach {service}: {cause}; is the service running there (feedback serve, --url)?"
            )
        })
    }

    /// Sends a request and returns its response if it succeeded.
    pub(crate) async fn get(&self, url: Url) -> anyhow::Result<Response> {
        let response = self.send(self.request(url)).await?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let body = read_document(response).await?;
        let Ok(refused) = serde_json::from_str::<Refused>(&body) else {
            bail!(
                "{} returned {status}, and not as this API does",
                self.service
            )
        };
        let refusal = |refused| anyhow::Error::new(refused).context(REFUSED);
        let Some(SecretHeader { description, .. }) = &self.header else {
            return Err(refusal(refused));
        };
        match status {
            StatusCode::UNAUTHORIZED => bail!(
                "{description} is wrong: {} does not know it, or it was revoked",
                self.service
            ),
            StatusCode::FORBIDDEN if refused.has_code("forbidden") => {
                bail!("{description} is not for this project")
            }
            _ => Err(refusal(refused)),
        }
    }
}

/// The context of a [`Refused`].
const REFUSED: &str = "the service refused the request";

/// Somewhat more than the largest response of the API that is not streamed.
const MAX_DOCUMENT: usize = 8 << 20;

/// Returns the next piece of a body, or `None` at its end.
pub(crate) async fn next_piece(response: &mut Response) -> anyhow::Result<Option<Bytes>> {
    let piece = response.chunk().await;
    piece.map_err(|error| {
        let cause = if error.is_timeout() {
            format!("nothing arrived for {} seconds", SILENCE.as_secs())
        } else {
            first_cause(&error)
        };
        anyhow!("the response is incomplete: {cause}")
    })
}

/// Reads the whole body of a response that the API limits.
pub(crate) async fn read_document(mut response: Response) -> anyhow::Result<String> {
    let mut body = Vec::new();
    while let Some(piece) = next_piece(&mut response).await? {
        body.extend_from_slice(&piece);
        ensure!(
            body.len() <= MAX_DOCUMENT,
            "the response of the service is too large: it has more than 8 MB"
        );
    }
    String::from_utf8(body).context(UNEXPECTED)
}
