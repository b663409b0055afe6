//! What a function is invoked with: an event of a REST API (v1) or of an HTTP API (v2), each of which expects
//! a response of its own form, or a check.

use std::collections::BTreeMap;

use http::header::{AUTHORIZATION, InvalidHeaderValue};
use http::{HeaderMap, HeaderName, HeaderValue};
use lambda_http::aws_lambda_events::apigw::{
    ApiGatewayProxyRequest, ApiGatewayProxyResponse, ApiGatewayV2httpRequest,
    ApiGatewayV2httpResponse,
};
use lambda_http::aws_lambda_events::query_map::QueryMap;
use lambda_http::request::LambdaRequest;
use lambda_http::{Context, Error, LambdaEvent};
use model::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use store::Check;

use crate::call::{Call, Deadline};
use crate::parameters;

/// An invocation of a function.
pub enum Invocation {
    /// By API Gateway.
    Request(Box<Call>, Gateway),
    /// By whoever may invoke the function itself, to learn whether it can read its tables.
    Check,
}

impl Invocation {
    /// Reads the event of an invocation at `now`: exactly `{"check":true}`, or one of API Gateway, which has
    /// other members. Any other is a request that is refused.
    pub fn from_event(event: LambdaEvent<Box<RawValue>>, now: Timestamp) -> Self {
        let (payload, context) = event.into_parts();
        let flags = serde_json::from_str::<BTreeMap<String, bool>>(payload.get());
        if flags.is_ok_and(|flags| flags.into_iter().eq([("check".to_owned(), true)])) {
            return Self::Check;
        }
        let (call, gateway) = Call::from_event(&payload, context, now);
        Self::Request(Box::new(call), gateway)
    }
}

/// The kind of API that sent an event, and that expects the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gateway {
    /// A REST API.
    Rest,
    /// An HTTP API.
    Http,
}

/// What a function returns that does not stream.
#[derive(Serialize)]
#[serde(untagged)]
pub enum FunctionOutput {
    /// A response to a REST API, which refuses members that it does not know.
    Rest(ApiGatewayProxyResponse),
    /// A response to an HTTP API.
    Http(ApiGatewayV2httpResponse),
    /// The result of a check.
    Check(Check),
}

impl Call {
    /// Makes the call of an event that arrived at `now`. Returns it with the kind of API that sent the
    /// event. One that no API sends makes a call that every route refuses, as if it were of a REST API.
    ///
    /// This goes around the conversion to a request by `lambda_http`, which loses repeated header
    /// lines and panics if the URL that it puts together is invalid.
    pub fn from_event(event: &RawValue, context: Context, now: Timestamp) -> (Self, Gateway) {
        let read = read(event, now);
        let (mut call, gateway) = read.unwrap_or_else(|_| (Self::unknown(now), Gateway::Rest));
        let deadline = Timestamp::from_unix_millis(context.deadline);
        call.id = context.request_id;
        call.deadline = Deadline::before(deadline, now);
        (call, gateway)
    }
}

fn read(event: &RawValue, now: Timestamp) -> Result<(Call, Gateway), Error> {
    match serde_json::from_str(event.get())? {
        LambdaRequest::ApiGatewayV1(event) => Ok((call_v1(event, now)?, Gateway::Rest)),
        LambdaRequest::ApiGatewayV2(event) => Ok((call_v2(event, now)?, Gateway::Http)),
        _ => Err("the event is not from API Gateway".into()),
    }
}

impl Gateway {
    /// Returns the response in the form that this kind of API expects. No response of the contract has
    /// two headers of one name.
    pub fn response(self, response: http::Response<String>) -> FunctionOutput {
        let (parts, body) = response.into_parts();
        let status_code = parts.status.as_u16().into();
        match self {
            Self::Rest => {
                let mut response = ApiGatewayProxyResponse::default();
                response.status_code = status_code;
                response.headers = parts.headers;
                response.body = Some(body.into());
                FunctionOutput::Rest(response)
            }
            Self::Http => {
                let mut response = ApiGatewayV2httpResponse::default();
                response.status_code = status_code;
                response.headers = parts.headers;
                response.body = Some(body.into());
                FunctionOutput::Http(response)
            }
        }
    }
}

/// A v1 event has the lines and the parameters twice: as lists of all values, and as maps of the last
/// value of each name, which count only where there are no lists.
fn call_v1(event: ApiGatewayProxyRequest, now: Timestamp) -> Result<Call, Error> {
    let headers = if event.multi_value_headers.is_empty() {
        &event.headers
    } else {
        &event.multi_value_headers
    };
    let query = if event.multi_value_query_string_parameters.is_empty() {
        &event.query_string_parameters
    } else {
        &event.multi_value_query_string_parameters
    };
    let path = event.path.unwrap_or_default();
    Ok(Call {
        method: event.http_method,
        headers: lines(headers, |_| false)?,
        // These are decoded already: decoding them again would turn %2B into a space.
        query: pairs(query)?.into_iter().map(Ok).collect(),
        path: route(&path, event.resource.as_deref())
            .unwrap_or(&path)
            .to_owned()
            .into(),
        ..Call::unknown(now)
    })
}

/// A v2 event has the lines of a header joined with commas. Only those of `Authorization` can be split
/// again: the tokens of no scheme hold a comma, but a legacy Read Key may.
fn call_v2(event: ApiGatewayV2httpRequest, now: Timestamp) -> Result<Call, Error> {
    let context = event.request_context;
    let path = event.raw_path.unwrap_or_default();
    let resource = event
        .route_key
        .as_deref()
        .and_then(|key| key.split_once(' '));
    Ok(Call {
        method: context.http.method,
        headers: lines(&event.headers, |name| name == AUTHORIZATION)?,
        query: parameters::decode(&event.raw_query_string.unwrap_or_default()),
        path: route(&path, resource.map(|(_, path)| path))
            .unwrap_or_else(|| without_stage(&path, context.stage.as_deref()))
            .to_owned()
            .into(),
        ..Call::unknown(now)
    })
}

/// Returns the header lines, of which those of some names are split at commas. Their values are
/// trimmed, as an HTTP server does.
fn lines(
    headers: &HeaderMap,
    is_split: impl Fn(&HeaderName) -> bool,
) -> Result<HeaderMap, InvalidHeaderValue> {
    let mut lines = HeaderMap::new();
    for (name, value) in headers {
        for line in value.as_bytes().split(|c| *c == b',' && is_split(name)) {
            lines.append(name, HeaderValue::from_bytes(line.trim_ascii())?);
        }
    }
    Ok(lines)
}

/// Returns the parameters, sorted by name, so that a `Link` always has them in the same order. The
/// map's own iterator has no order, and panics at a name without values.
fn pairs(query: &QueryMap) -> Result<Vec<(String, String)>, serde_json::Error> {
    let lists = BTreeMap::<String, Vec<String>>::deserialize(serde_json::to_value(query)?)?;
    let values = |(name, list): (String, Vec<String>)| {
        list.into_iter().map(move |value| (name.clone(), value))
    };
    Ok(lists.into_iter().flat_map(values).collect())
}

/// Returns the path of the route, unless the resource stands for any path. The gateway matched it with
/// the end of the path; what precedes it is the stage, or the base path of a custom domain.
fn route<'a>(path: &str, resource: Option<&'a str>) -> Option<&'a str> {
    resource.filter(|resource| path.ends_with(resource))
}

/// Returns the path without the stage, which v2 events of a named stage include.
fn without_stage<'a>(path: &'a str, stage: Option<&str>) -> &'a str {
    let rest = stage.and_then(|stage| path.strip_prefix('/')?.strip_prefix(stage));
    rest.filter(|rest| rest.starts_with('/')).unwrap_or(path)
}
