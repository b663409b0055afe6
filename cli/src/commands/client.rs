//! A client of the API. It reads its credentials from the environment, where other users of the
//! machine do not see them.

use anyhow::{Context, anyhow, bail, ensure};
use form_urlencoded::Serializer;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Response, StatusCode, Url, redirect};
use serde::Deserialize;

/// The option that selects the API.
#[derive(clap::Args, Debug, Clone)]
pub(super) struct ApiAddress {
    /// The address of the API; on AWS it ends with the stage
    #[arg(long, value_name = "URL", default_value = DEFAULT_URL)]
    #[arg(env = "FEEDBACK_URL", hide_env_values = true)]
    url: Url,
}

/// Where `feedback serve` serves the API by default.
pub(super) const DEFAULT_URL: &str = "http://127.0.0.1:3000";

/// A header with a credential. It has no `Debug`, so it is never shown.
pub(super) struct SecretHeader {
    name: HeaderName,
    value: HeaderValue,
    /// What the credential is, and where it comes from.
    description: &'static str,
}

/// The context of a response that cannot be decoded.
pub(super) const UNEXPECTED: &str = "the service returned an unexpected response";

/// Reads a variable of the environment; fails if it is not set.
pub(super) fn required_env(name: &str, description: &str) -> anyhow::Result<String> {
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

    pub(super) fn add_to(&self, request: RequestBuilder) -> RequestBuilder {
        request.header(&self.name, &self.value)
    }

    pub(super) fn read_key(key: &str) -> anyhow::Result<Self> {
        let name = HeaderName::from_static("authkey");
        Self::new(name, key, "the Read Key in FEEDBACK_READ_KEY")
    }

    pub(super) fn basic(username: &str, password: &str) -> anyhow::Result<Self> {
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
pub(super) struct Refused {
    errors: Vec<ErrorObject>,
}

#[derive(Debug, Deserialize)]
struct ErrorObject {
    code: String,
    detail: String,
    source: Option<Source>,
}

#[derive(Debug, Deserialize)]
struct Source {
    parameter: Option<String>,
}

impl Refused {
    /// Returns whether one of the errors has this code.
    pub(super) fn has_code(&self, code: &str) -> bool {
        self.errors.iter().any(|error| error.code == code)
    }

    /// Returns whether one of the errors is the fault of this parameter.
    pub(super) fn is_about(&self, parameter: &str) -> bool {
        let sources = self.errors.iter().filter_map(|error| error.source.as_ref());
        let mut parameters = sources.filter_map(|source| source.parameter.as_deref());
        parameters.any(|name| name == parameter)
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

impl std::error::Error for Refused {}

/// Sends requests to one service, with one credential or none.
pub(super) struct Client {
    http: reqwest::Client,
    service: ApiAddress,
    header: Option<SecretHeader>,
}

impl ApiAddress {
    /// Makes a client that sends this credential, if there is one, with each request.
    pub(super) fn client(&self, header: impl Into<Option<SecretHeader>>) -> anyhow::Result<Client> {
        Ok(Client {
            http: self.http()?,
            service: self.clone(),
            header: header.into(),
        })
    }

    /// Returns the URL of a path of the API, with this query as it stands.
    pub(super) fn url(&self, path: &str, query: &str) -> anyhow::Result<Url> {
        let base = self.url.as_str().trim_end_matches('/');
        format!("{base}{path}?{query}")
            .parse()
            .context("--url is not an address")
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
        // The SDK uses the same implementation of cryptography.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // A redirect could lead the credential to another host.
        let mut http = reqwest::Client::builder().redirect(redirect::Policy::none());
        if self.is_local() {
            http = http.no_proxy();
        }
        http.build().context("cannot build an HTTP client")
    }

    fn is_local(&self) -> bool {
        matches!(
            self.url.host_str(),
            Some("localhost" | "127.0.0.1" | "[::1]")
        )
    }
}

impl std::fmt::Display for ApiAddress {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.url.fmt(formatter)
    }
}

impl Client {
    /// Returns the URL of this path with these parameters.
    pub(super) fn url(&self, path: &str, parameters: &[(&str, String)]) -> anyhow::Result<Url> {
        let query = Serializer::new(String::new())
            .extend_pairs(parameters)
            .finish();
        self.service.url(path, &query)
    }

    /// Resolves the reference of a `Link` in the response from `url`. Refuses any other operation: the
    /// request would carry the credential there.
    pub(super) fn resolve(&self, url: &Url, link: &str) -> anyhow::Result<Url> {
        let next = self.service.url.join(link).context(UNEXPECTED)?;
        ensure!(
            next.origin() == url.origin() && next.path() == url.path() && has_no_credential(&next),
            "{UNEXPECTED}: its Link leads to another address"
        );
        Ok(next)
    }

    /// Sends a request and returns its response if it succeeded.
    pub(super) async fn get(&self, url: Url) -> anyhow::Result<Response> {
        let mut request = self.http.get(url);
        if let Some(header) = &self.header {
            request = header.add_to(request);
        }
        let response = request.send().await.map_err(|error| {
            let cause = first_cause(&error);
            anyhow!(
                "cannot reach {}: {cause}; is the service running there (feedback serve, --url)?",
                self.service
            )
        })?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let body = response.text().await.unwrap_or_default();
        match (serde_json::from_str(&body), &self.header) {
            (Ok(Refused { .. }), Some(header)) if status == StatusCode::UNAUTHORIZED => {
                bail!(
                    "{} is wrong: {} does not know it, or it was revoked",
                    header.description,
                    self.service
                )
            }
            (Ok(refused), _) => Err(refused.into()),
            (Err(_), _) => bail!(
                "{} returned {status}, and not as this API does",
                self.service
            ),
        }
    }
}

fn has_no_credential(url: &Url) -> bool {
    url.username().is_empty() && url.password().is_none()
}

/// Reads the whole body.
pub(super) async fn read_body(response: Response) -> anyhow::Result<String> {
    response.text().await.map_err(|error| truncated(&error))
}

/// Somewhat more than the largest response of the API that is not streamed.
const MAX_DOCUMENT: usize = 8 << 20;

/// Reads the whole body of a response that the API limits.
pub(super) async fn read_document(mut response: Response) -> anyhow::Result<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| truncated(&error))? {
        body.extend_from_slice(&piece);
        ensure!(
            body.len() <= MAX_DOCUMENT,
            "the response of the service is too large"
        );
    }
    Ok(body)
}

/// Makes the error of a body that ends early.
pub(super) fn truncated(error: &reqwest::Error) -> anyhow::Error {
    anyhow!("the response is incomplete: {}", first_cause(error))
}

/// Returns the first cause. The errors around it say only that sending failed.
pub(super) fn first_cause(error: &dyn std::error::Error) -> String {
    let mut first = error;
    while let Some(source) = first.source() {
        first = source;
    }
    first.to_string()
}
