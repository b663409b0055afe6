//! A store in the process of its client, so that the time of a test may be simulated.

use std::fmt;
use std::sync::Arc;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::http::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn,
};
use serde_json::Value;

use crate::project::config;
use crate::stub::Answer;

/// Makes a client whose requests, each an operation and its input, this script answers.
pub fn client<S, F>(script: S) -> Client
where
    S: Fn(String, Value) -> F + Send + Sync + 'static,
    F: Future<Output = Answer> + Send + 'static,
{
    let connector = SharedHttpConnector::new(InProcess(Arc::new(script)));
    let http = http_client_fn(move |_, _| connector.clone());
    Client::from_conf(config().http_client(http).build())
}

struct InProcess<S>(Arc<S>);

impl<S> fmt::Debug for InProcess<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InProcess")
    }
}

impl<S, F> HttpConnector for InProcess<S>
where
    S: Fn(String, Value) -> F + Send + Sync + 'static,
    F: Future<Output = Answer> + Send + 'static,
{
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let script = self.0.clone();
        HttpConnectorFuture::new(async move {
            let target = request.headers().get("x-amz-target").unwrap_or_default();
            let operation = target.split_once('.').unwrap().1.to_owned();
            let input = serde_json::from_slice(request.body().bytes().unwrap()).unwrap();
            let answer = script(operation, input).await;
            let status = answer.status.try_into().unwrap();
            let mut response = HttpResponse::new(status, answer.body.into());
            let headers = response.headers_mut();
            headers.insert("x-amzn-requestid", "an-aws-request-id");
            if let Some(checksum) = answer.checksum {
                headers.insert("x-amz-crc32", checksum.to_string());
            }
            Ok(response)
        })
    }
}
