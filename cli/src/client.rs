//! A client of the API. It reads its credentials from the environment, where other users of the
//! machine do not see them.

use std::error::Error;
use std::net::IpAddr;
use std::time::Duration;

use anyhow::{Context, anyhow, bail, ensure};
use axum::body::Bytes;
use form_urlencoded::Serializer;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Response, StatusCode, Url, redirect};
use rustls::InvalidMessage;
use serde::Deserialize;
use tokio::time::timeout;

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

/// A header with a credential. It has no `Debug`, so it is never shown.
pub(crate) struct SecretHeader {
    name: HeaderName,
    value: HeaderValue,
    /// What the credential is, and where it comes from.
    description: &'static str,
}

/// The context of a response that cannot be decoded.
pub(crate) const UNEXPECTED: &str = "the service returned an unexpected response";

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

    pub(crate) fn add_to(&self, request: RequestBuilder) -> RequestBuilder {
        request.header(&self.name, &self.value)
    }

    pub(crate) fn read_key(key: &str) -> anyhow::Result<Self> {
        let name = HeaderName::from_static("authkey");
        Self::new(name, key, "the Read Key in FEEDBACK_READ_KEY")
    }

    pub(crate) fn basic(username: &str, password: &str) -> anyhow::Result<Self> {
        use base64::Engine as _;
        let pair = format!("{username}:{password}");
        let encoded = base64::engine::general_purpose::STANDARD.encode(pair);
        Self::new(
            AUTHORIZATION,
            &format!("Basic {encoded}"),
            "the account in FEEDBACK_USERNAME and FEEDBACK_PASSWORD",
        )
    }
}

/// The errors of a request that the service refused (contract, section 1).
#[derive(Debug, Deserialize)]
pub(crate) struct Refused {
    errors: Vec<ErrorObject>,
}

#[derive(Debug, Deserialize)]
struct ErrorObject {
    code: String,
    detail: String,
}

impl Refused {
    /// Returns whether one of the errors has this code.
    pub(crate) fn has_code(&self, code: &str) -> bool {
        self.errors.iter().any(|error| error.code == code)
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let errors = self.errors.iter();
        let lines = errors.map(|error| format!("{}: {}", error.code, error.detail));
        let lines: Vec<_> = lines.collect();
        write!(
            formatter,
            "the service refused the request: {}",
            lines.join("; ")
        )
    }
}

impl Error for Refused {}

/// Sends requests to one service, with one credential or none.
pub(crate) struct Client {
    http: reqwest::Client,
    service: ApiAddress,
    header: Option<SecretHeader>,
}

impl ApiAddress {
    /// Makes a client that sends this credential, if there is one, with each request.
    pub(crate) fn client(&self, header: impl Into<Option<SecretHeader>>) -> anyhow::Result<Client> {
        Ok(Client {
            http: self.http()?,
            service: self.clone(),
            header: header.into(),
        })
    }

    /// Returns the URL of a path of the API, with this query as it stands.
    pub(crate) fn url(&self, path: &str, query: &str) -> anyhow::Result<Url> {
        let base = self.url.as_str().trim_end_matches('/');
        format!("{base}{path}?{query}")
            .parse()
            .context("--url is not an address")
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
}

impl std::fmt::Display for ApiAddress {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.url.fmt(formatter)
    }
}

impl Client {
    /// Returns the URL of this path with these parameters.
    pub(crate) fn url(&self, path: &str, parameters: &[(&str, String)]) -> anyhow::Result<Url> {
        let query = Serializer::new(String::new())
            .extend_pairs(parameters)
            .finish();
        self.service.url(path, &query)
    }

    /// Resolves the reference of a `Link` in the response from `url`. Refuses any other operation: the
    /// request would carry the credential there.
    pub(crate) fn resolve(&self, url: &Url, link: &str) -> anyhow::Result<Url> {
        let next = self.service.url.join(link).context(UNEXPECTED)?;
        ensure!(
            next.origin() == url.origin() && next.path() == url.path() && has_no_credential(&next),
            "{UNEXPECTED}: its Link leads to another address"
        );
        Ok(next)
    }

    /// Requests statistics with these parameters, and returns the document.
    pub(crate) async fn statistics(&self, parameters: &[(&str, String)]) -> anyhow::Result<String> {
        let url = self.url(response_statistics::PATH, parameters)?;
        read_document(self.get(url).await?).await
    }

    /// Sends a request and returns its response if it succeeded.
    pub(crate) async fn get(&self, url: Url) -> anyhow::Result<Response> {
        let mut request = self.http.get(url);
        if let Some(header) = &self.header {
            request = header.add_to(request);
        }
        let response = self.service.send(request).await?;
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
        let Some(SecretHeader { description, .. }) = &self.header else {
            return Err(refused.into());
        };
        match status {
            StatusCode::UNAUTHORIZED => bail!(
                "{description} is wrong: {} does not know it, or it was revoked",
                self.service
            ),
            StatusCode::FORBIDDEN if refused.has_code("forbidden") => {
                bail!("{description} is not for this project")
            }
            _ => Err(refused.into()),
        }
    }
}

fn has_no_credential(url: &Url) -> bool {
    url.username().is_empty() && url.password().is_none()
}

/// Somewhat longer than API Gateway lets a function take.
const UNTIL_HEAD: Duration = Duration::from_secs(35);

const BETWEEN_BYTES: Duration = Duration::from_secs(30);

/// Somewhat more than the largest response of the API that is not streamed.
const MAX_DOCUMENT: usize = 8 << 20;

impl ApiAddress {
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

/// Returns the next piece of a body, or `None` at its end.
pub(crate) async fn next_piece(response: &mut Response) -> anyhow::Result<Option<Bytes>> {
    let piece = timeout(BETWEEN_BYTES, response.chunk())
        .await
        .map_err(|_| {
            let seconds = BETWEEN_BYTES.as_secs();
            anyhow!("the response is incomplete: nothing arrived for {seconds} seconds")
        })?;
    piece.map_err(|error| anyhow!("the response is incomplete: {}", first_cause(&error)))
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

/// Returns whether the other side does not speak TLS.
fn is_no_tls(error: &reqwest::Error) -> bool {
    causes(error).any(|mut cause| {
        // An error of the system may hold another one.
        while let Some(inner) = cause
            .downcast_ref::<std::io::Error>()
            .and_then(|it| it.get_ref())
        {
            cause = inner;
        }
        matches!(
            cause.downcast_ref(),
            Some(rustls::Error::InvalidMessage(
                InvalidMessage::InvalidContentType
            ))
        )
    })
}

/// Returns the first cause. The errors around it say only that sending failed.
pub(crate) fn first_cause(error: &(dyn Error + 'static)) -> String {
    causes(error).last().unwrap_or(error).to_string()
}

/// Returns an error and what caused it, the first cause last.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}
