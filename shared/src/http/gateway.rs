//! What API Gateway sends to a function and expects from it: events of REST APIs (v1) and of HTTP
//! APIs (v2), and the buffered response, which has one form for both.

use std::collections::BTreeMap;

use http::{HeaderMap, HeaderName, HeaderValue, Method, header::AUTHORIZATION};
use serde::{Deserialize, Serialize};

use super::call::Head;
use super::parameters;

/// A request as API Gateway passes it on. Deserializing any other event fails.
#[derive(Deserialize)]
#[serde(try_from = "Payload")]
pub struct Event(pub(super) Head);

/// The events, as far as they are needed. An error names neither their members nor their values.
#[derive(Deserialize)]
#[serde(untagged)]
enum Payload {
    V1(PayloadV1),
    V2(PayloadV2),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PayloadV1 {
    http_method: String,
    path: String,
    resource: Option<String>,
    headers: Option<Map<String>>,
    multi_value_headers: Option<Map<Vec<String>>>,
    query_string_parameters: Option<Map<String>>,
    multi_value_query_string_parameters: Option<Map<Vec<String>>>,
    request_context: ContextV1,
}

#[derive(Deserialize)]
struct ContextV1 {
    path: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PayloadV2 {
    route_key: Option<String>,
    raw_path: String,
    raw_query_string: Option<String>,
    headers: Option<Map<String>>,
    request_context: ContextV2,
}

#[derive(Deserialize)]
struct ContextV2 {
    stage: Option<String>,
    http: RequestV2,
}

#[derive(Deserialize)]
struct RequestV2 {
    method: String,
}

type Map<T> = BTreeMap<String, T>;

impl TryFrom<Payload> for Event {
    type Error = http::Error;

    fn try_from(payload: Payload) -> Result<Self, http::Error> {
        let head = match payload {
            Payload::V1(event) => event.try_into(),
            Payload::V2(event) => event.try_into(),
        };
        head.map(Self)
    }
}

impl TryFrom<PayloadV1> for Head {
    type Error = http::Error;

    fn try_from(event: PayloadV1) -> Result<Self, http::Error> {
        // These are decoded already. Decoding them again would turn %2B into a space.
        let query = all_values(
            event.multi_value_query_string_parameters,
            event.query_string_parameters,
        );
        let lines = all_values(event.multi_value_headers, event.headers);
        let lines = lines.iter().map(|(name, line)| (&**name, &**line));
        Ok(Self {
            method: Method::from_bytes(event.http_method.as_bytes())?,
            headers: header_map(lines)?,
            query: query.into_iter().map(Ok).collect(),
            path: route(&event.path, event.resource.as_deref())
                .unwrap_or(&event.path)
                .to_owned(),
            public_path: event.request_context.path.unwrap_or(event.path),
        })
    }
}

impl TryFrom<PayloadV2> for Head {
    type Error = http::Error;

    fn try_from(event: PayloadV2) -> Result<Self, http::Error> {
        let ContextV2 { stage, http } = event.request_context;
        let resource = event
            .route_key
            .as_deref()
            .and_then(|key| key.split_once(' '));
        let headers = event.headers.unwrap_or_default();
        let lines = headers
            .iter()
            .flat_map(|(name, joined)| lines(name, joined));
        Ok(Self {
            method: Method::from_bytes(http.method.as_bytes())?,
            headers: header_map(lines)?,
            query: parameters::decode(&event.raw_query_string.unwrap_or_default()),
            path: route(&event.raw_path, resource.map(|(_, path)| path))
                .unwrap_or_else(|| without_stage(&event.raw_path, stage.as_deref()))
                .to_owned(),
            public_path: event.raw_path,
        })
    }
}

/// Returns all values of each name in a v1 event: those of the lists, or of the map where the event
/// has no lists. The map holds only the last value of each name.
fn all_values(lists: Option<Map<Vec<String>>>, map: Option<Map<String>>) -> Vec<(String, String)> {
    let Some(lists) = lists.filter(|lists| !lists.is_empty()) else {
        return map.unwrap_or_default().into_iter().collect();
    };
    let values = |(name, list): (String, Vec<String>)| {
        list.into_iter().map(move |value| (name.clone(), value))
    };
    lists.into_iter().flat_map(values).collect()
}

/// Returns the lines of a header that a v2 event joined with commas. Only `Authorization` can be
/// split again: the tokens of no scheme hold a comma, but a legacy Read Key may.
fn lines<'a>(name: &'a str, joined: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let is_split = name.eq_ignore_ascii_case(AUTHORIZATION.as_str());
    let lines = joined.split(move |c| is_split && c == ',');
    lines.map(move |line| (name, line))
}

/// Collects header lines. Their values are trimmed, as an HTTP server does.
fn header_map<'a>(
    lines: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<HeaderMap, http::Error> {
    let mut headers = HeaderMap::new();
    for (name, line) in lines {
        headers.append(
            HeaderName::from_bytes(name.as_bytes())?,
            HeaderValue::from_bytes(line.trim_ascii().as_bytes())?,
        );
    }
    Ok(headers)
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

/// A buffered response in the form that both kinds of API accept. No response of the contract has
/// two headers of one name.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProxyResponse {
    status_code: u16,
    headers: BTreeMap<String, String>,
    body: String,
    is_base64_encoded: bool,
}

impl From<http::Response<String>> for ProxyResponse {
    fn from(response: http::Response<String>) -> Self {
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = response.headers().iter();
        Self {
            status_code: response.status().as_u16(),
            headers: headers
                .map(|(name, value)| (name.to_string(), text(value)))
                .collect(),
            body: response.into_body(),
            is_base64_encoded: false,
        }
    }
}
