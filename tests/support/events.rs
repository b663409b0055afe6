//! API Gateway's events.

use std::time::Duration;

use lambda_http::Context;
use model::Timestamp;
use serde_json::{Value, json};
use service::Call;

use super::{Lines, Operation, Reply, app_at, basic, handle, service};

/// Reads an event of `events/`, by its file's name.
pub(crate) fn event(name: &str) -> Value {
    let path = format!("{}/../events/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

impl Operation {
    /// Returns the v1 event of a request with this query, in which nothing is encoded, and with these header lines: a
    /// list of all values, and a map with the last one of each name.
    pub(crate) fn rest(self, query: &str, lines: &Lines<'_>) -> Value {
        let mut event = event(&format!("{}-rest", self.name()));
        let parameters: Vec<_> = query
            .split('&')
            .filter(|it| !it.is_empty())
            .map(|it| it.split_once('=').unwrap_or((it, "")))
            .collect();
        for (last, all, pairs) in [
            (
                "queryStringParameters",
                "multiValueQueryStringParameters",
                &parameters[..],
            ),
            ("headers", "multiValueHeaders", lines),
        ] {
            (event[last], event[all]) = (json!({}), json!({}));
            for (name, value) in pairs {
                event[last][name] = json!(value);
                match event[all][name].as_array_mut() {
                    Some(values) => values.push(json!(value)),
                    None => event[all][name] = json!([value]),
                }
            }
        }
        event
    }

    /// Returns the v1 event of a request for the project `p` of a stub, where every secret is valid.
    pub(crate) fn event_of_stub(self, query: &str) -> Value {
        let account = basic("u", "any");
        let lines = [("AuthKey", "any key"), ("Authorization", account.as_str())];
        self.rest(&format!("project=p&{query}"), &lines)
    }

    /// Returns the v2 event of a request with this query and these header lines, which joins the lines of a name with
    /// commas.
    pub(crate) fn http(self, query: &str, lines: &Lines<'_>) -> Value {
        let mut event = event(&format!("{}-http", self.name()));
        event["rawQueryString"] = json!(query);
        event["headers"] = json!({});
        for (name, value) in lines {
            let joined = &mut event["headers"][name.to_ascii_lowercase()];
            *joined = match joined.as_str() {
                Some(others) => json!(format!("{others},{value}")),
                None => json!(value),
            };
        }
        event
    }
}

/// Makes the call of an event that Lambda ends after this time.
pub(crate) fn call_of(event: &Value, time: Duration) -> Call {
    // One instant for both, so that the time is exact however long this takes.
    let now = service::now();
    let end = now.millis_since(Timestamp::EPOCH) + i64::try_from(time.as_millis()).unwrap();
    let payload = serde_json::value::to_raw_value(event).unwrap();
    let mut context = Context::default();
    context.request_id = String::from("an-id");
    context.deadline = end.try_into().unwrap();
    Call::from_event(&payload, context, now).0
}

/// Handles an event within this process, over the shared service's store.
pub(crate) async fn handle_event(operation: Operation, event: &Value) -> Reply {
    let app = app_at(&format!("http://{}", service().dynamodb_address().unwrap()));
    let call = call_of(event, Duration::from_secs(20));
    handle(&app, operation, call).await
}
