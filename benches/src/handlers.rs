//! What is compared: the handlers of the service, other implementations of them, and lower bounds.

use aws_smithy_http_client::proxy::ProxyConfig;
use bytes::Bytes;
use http_body_util::BodyExt;
use items::TableNames;
use service::App;
use service::Call;
use service::response::Response;
use store::{Https, Store, timeouts};

use crate::tally::Filters;
use crate::{Failure, derived, generic};

const PERIOD: &str = "startDate=2024-01-01&endDate=2025-01-01";

/// Groups records by a trait with twenty values.
const BY_COMPANY: &str = "&groupBy=user.traits.string.company";

/// All implementations over one store, with the filters of their requests.
pub(crate) struct Implementations {
    app: App,
    client: aws_sdk_dynamodb::Client,
    derived: derived::Client,
    filters: Filters<'static>,
}

impl Implementations {
    pub(crate) fn new(address: &str, filters: Filters<'static>) -> Self {
        Self {
            app: App::new(Store::of_dynamodb(
                &client(address),
                TableNames::default(),
                None,
            )),
            client: generic::client(address),
            derived: derived::Client::new(address),
            filters,
        }
    }

    /// Runs one of them once; returns what can be compared: the figures, or the length of the list.
    pub(crate) async fn request(&self, name: &str) -> Result<String, Failure> {
        match name {
            "statistics" => self.statistics("").await,
            "statistics-days" => self.statistics("&interval=day").await,
            "statistics-groups" => self.statistics(BY_COMPANY).await,
            "statistics-days-groups" => {
                self.statistics(&format!("&interval=day{BY_COMPANY}")).await
            }
            "statistics-generic" => generic::statistics(&self.client, self.filters).await,
            "statistics-derived" => self.derived.statistics(self.filters).await,
            "users" => self.users().await,
            "users-generic" => generic::users(&self.client).await,
            "calls" => generic::calls(&self.client, self.filters).await,
            "scan" => self.derived.scan(self.filters).await,
            _ => Err(format!("there is no {name}").into()),
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

    /// Returns the length of the list in bytes.
    async fn users(&self) -> Result<String, Failure> {
        let call = call(&format!("{}?project=acme", users::PATH))?;
        let mut response = users::handle(call, &self.app).await;
        if !response.status().is_success() {
            return Err(format!("{:?}", collect(response).await?).into());
        }
        let mut length = 0;
        while let Some(frame) = response.frame().await {
            let frame = frame.map_err(|error| format!("{error:?}"))?;
            length += frame.into_data().unwrap_or_default().len();
        }
        Ok(length.to_string())
    }
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
        .header("Authorization", "Bearer bench-account-0000")
        .body(())?;
    Ok(Call::from_http(request.into_parts().0, service::now()))
}

/// Reads the whole body.
async fn collect(response: Response) -> Result<Bytes, Failure> {
    let body = response.into_body().collect().await;
    Ok(body.map_err(|error| format!("{error:?}"))?.to_bytes())
}
