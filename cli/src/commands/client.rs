//! A client of the API, like any other. Only here does the program read credentials, from the
//! environment, where other users of the machine do not see them.

use form_urlencoded::Serializer;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use reqwest::{Response, Url, redirect};
use serde::Deserialize;

/// Which service is asked.
#[derive(clap::Args, Debug)]
pub struct Service {
    /// Where the API is; on AWS it ends with the stage
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:3000")]
    url: Url,
}

/// A header that is never shown.
pub(crate) struct Secret(HeaderName, HeaderValue);

/// A variable of the environment that has to be there.
pub(crate) fn variable(name: &str, what: &str) -> Result<String, String> {
    std::env::var(name)
        .ok()
        .filter(|value| !value.is_empty())
        .ok_or_else(|| format!("set {name} to {what}"))
}

impl Secret {
    pub(crate) fn new(name: HeaderName, value: &str) -> Result<Self, String> {
        let mut value = HeaderValue::from_str(value)
            .map_err(|_| "the credentials hold characters that a header cannot carry")?;
        value.set_sensitive(true);
        Ok(Self(name, value))
    }

    pub(crate) fn basic(username: &str, password: &str) -> Result<Self, String> {
        use base64::Engine as _;
        let pair = format!("{username}:{password}");
        let encoded = base64::engine::general_purpose::STANDARD.encode(pair);
        Self::new(AUTHORIZATION, &format!("Basic {encoded}"))
    }
}

/// The document of the contract, section 1.
#[derive(Deserialize)]
struct Problems {
    errors: Vec<Problem>,
}

#[derive(Deserialize)]
struct Problem {
    code: String,
    detail: String,
}

/// Asks one service with one credential, over one connection.
pub(crate) struct Client {
    http: reqwest::Client,
    url: Url,
    secret: Secret,
}

impl Service {
    pub(crate) fn client(&self, secret: Secret) -> Result<Client, String> {
        // One implementation of cryptography is enough, and the SDK has brought it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // A redirect could carry the secret to somebody else.
        let mut http = reqwest::Client::builder().redirect(redirect::Policy::none());
        if self.is_local() {
            http = http.no_proxy();
        }
        Ok(Client {
            http: http
                .build()
                .map_err(|error| format!("there is no HTTP client: {error}"))?,
            url: self.url.clone(),
            secret,
        })
    }

    fn is_local(&self) -> bool {
        matches!(
            self.url.host_str(),
            Some("localhost" | "127.0.0.1" | "[::1]")
        )
    }
}

impl Client {
    /// The address of this path with these parameters.
    pub(crate) fn target(&self, path: &str, parameters: &[(&str, &str)]) -> Result<Url, String> {
        let query = Serializer::new(String::new())
            .extend_pairs(parameters)
            .finish();
        let base = self.url.as_str().trim_end_matches('/');
        format!("{base}{path}?{query}")
            .parse()
            .map_err(|error| format!("--url is no address: {error}"))
    }

    /// The address that a `Link` leads to.
    pub(crate) fn follow(&self, link: &str) -> Result<Url, String> {
        self.url
            .join(link)
            .map_err(|error| format!("the service gave a link that leads nowhere: {error}"))
    }

    /// A successful answer. `Err` is what the service says is wrong, or that there is none.
    pub(crate) async fn get(&self, target: Url) -> Result<Response, String> {
        let Secret(name, value) = &self.secret;
        let request = self.http.get(target).header(name, value);
        let answer = request.send().await.map_err(|error| {
            let reason = cause(&error);
            format!(
                "{} does not answer: {reason}; is the service running there (feedback serve, --url)?",
                self.url
            )
        })?;
        let status = answer.status();
        if status.is_success() {
            return Ok(answer);
        }
        let body = answer.text().await.unwrap_or_default();
        Err(match serde_json::from_str::<Problems>(&body) {
            Ok(Problems { errors }) => {
                let lines: Vec<_> = errors
                    .iter()
                    .map(|problem| format!("{}: {}", problem.code, problem.detail))
                    .collect();
                format!("the service refuses it: {}", lines.join("; "))
            }
            Err(_) => format!("{} answers {status}, and not as this API does", self.url),
        })
    }
}

/// What is said of an answer that ends before its end.
pub(crate) fn broken(error: &reqwest::Error) -> String {
    format!("the answer broke off: {}", cause(error))
}

/// The first cause: the errors around it only say that sending failed.
fn cause(error: &dyn std::error::Error) -> String {
    let mut first = error;
    while let Some(source) = first.source() {
        first = source;
    }
    first.to_string()
}
