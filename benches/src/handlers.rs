//! The contenders: the handlers of the service, the usual implementation, and lower bounds of both.

use aws_smithy_http_client::proxy::ProxyConfig;
use bytes::Bytes;
use http_body_util::BodyExt;
use serde::de::IgnoredAny;
use shared::App;
use shared::config::Tables;
use shared::http::{Call, Response};
use shared::model::Timestamp;
use shared::store::{Https, Store, timeouts};

use crate::{Failure, generic};

const PERIOD: &str = "startDate=2024-01-01&endDate=2025-01-01";

/// Groups records by a trait with twenty values.
const BY_COMPANY: &str = "&groupBy=user.traits.string.company";

/// The contenders over one store, with the filters of their requests.
pub(crate) struct Contenders {
    app: App,
    client: aws_sdk_dynamodb::Client,
    address: String,
    filters: &'static [(&'static str, &'static str)],
}

impl Contenders {
    pub(crate) fn new(address: &str, filters: &'static [(&'static str, &'static str)]) -> Self {
        Self {
            app: App::new(Store::new(&client(address), Tables::from_env(), None)),
            client: generic::client(address),
            address: address.to_owned(),
            filters,
        }
    }

    /// Runs the contender once; returns what can be compared: the figures, or the length of the list.
    pub(crate) async fn request(&self, contender: &str) -> Result<String, Failure> {
        match contender {
            "statistics" => self.statistics("").await,
            "statistics-days" => self.statistics("&interval=day").await,
            "statistics-groups" => self.statistics(BY_COMPANY).await,
            "statistics-days-groups" => {
                self.statistics(&format!("&interval=day{BY_COMPANY}")).await
            }
            "statistics-generic" => generic::statistics(&self.client, self.filters).await,
            "users" => self.users("identity").await,
            "users-gzip" => self.users("gzip").await,
            "users-generic" => generic::users(&self.client).await,
            "calls" => generic::calls(&self.client, self.filters).await,
            "scan" => self.scan().await,
            _ => Err(format!("there is no contender {contender}").into()),
        }
    }

    async fn statistics(&self, breakdown: &str) -> Result<String, Failure> {
        let mut query = breakdown.to_owned();
        for (name, value) in self.filters {
            let key = format!("filters[user.traits.string.{name}]");
            query += &format!("&{key}[operator]=contains&{key}[value]={value}");
        }
        let path = response_statistics::PATH;
        let call = call(&format!("{path}?project=acme&{PERIOD}{query}"))?;
        let body = collect(response_statistics::handle(call, &self.app).await).await?;
        let document: serde_json::Value = serde_json::from_slice(&body)?;
        Ok(document["data"][0]["attributes"].to_string())
    }

    /// Returns the length of the list as it is sent, in bytes.
    async fn users(&self, encoding: &'static str) -> Result<String, Failure> {
        let mut call = call(&format!("{}?project=acme", users::PATH))?;
        let encoding = http::HeaderValue::from_static(encoding);
        call.headers.insert(http::header::ACCEPT_ENCODING, encoding);
        let mut response = users::handle(call, &self.app).await;
        let mut length = 0;
        while let Some(frame) = response.frame().await {
            let frame = frame.map_err(|error| format!("{error:?}"))?;
            length += frame.into_data().unwrap_or_default().len();
        }
        Ok(length.to_string())
    }

    /// Parses a page a hundred times with `serde_json` and discards the result: no HTTP, no decoding.
    /// Returns the length of the page.
    async fn scan(&self) -> Result<String, Failure> {
        let page = generic::page_text(&self.address, self.filters).await?;
        for _ in 0..100 {
            pass(&page)?;
        }
        Ok(page.len().to_string())
    }
}

/// Parses the page once. It is not inlined, so that its callers do not affect how it is compiled.
#[inline(never)]
fn pass(page: &[u8]) -> serde_json::Result<()> {
    serde_json::from_slice(page).map(|IgnoredAny| ())
}

/// Builds a client with the HTTPS connector and the timeouts of a function.
fn client(address: &str) -> aws_sdk_dynamodb::Client {
    let config = generic::config(address)
        .http_client(Https::new(ProxyConfig::disabled()))
        .timeout_config(timeouts())
        .build();
    aws_sdk_dynamodb::Client::from_conf(config)
}

/// Makes the call of a request that both credentials of the stub authorize.
fn call(target: &str) -> Result<Call, Failure> {
    let request = http::Request::get(target)
        .header("AuthKey", "bench-read-key-0000")
        .header("Authorization", "Basic YmVuY2g6YmVuY2gtYWNjb3VudC0wMDAw")
        .body(())?;
    Ok(Call::from_http(request.into_parts().0, Timestamp::now()))
}

/// Reads the whole body.
async fn collect(response: Response) -> Result<Bytes, Failure> {
    let body = response.into_body().collect().await;
    Ok(body.map_err(|error| format!("{error:?}"))?.to_bytes())
}
