//! API Gateway's events.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lambda_http::Context;
use serde_json::{Value, json};
use service::Call;

use super::{Operation, Reply, app_at, handle, service};

/// Reads an event of `events/`, by its file's name.
pub(crate) fn event(name: &str) -> Value {
    let path = format!("{}/../events/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Returns the v1 event of this name with other credentials and parameters.
pub(crate) fn event_with(name: &str, headers: &[(&str, &str)], parameters: Value) -> Value {
    let mut event = event(name);
    for (name, value) in headers {
        event["headers"][name] = json!(value);
        event["multiValueHeaders"][name] = json!([value]);
    }
    let multi = parameters
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| (name.clone(), json!([value])));
    event["multiValueQueryStringParameters"] = Value::Object(multi.collect());
    event["queryStringParameters"] = parameters;
    event
}

/// Makes the call of an event that Lambda ends after this time.
pub(crate) fn call_of(event: &Value, time: Duration) -> Call {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let payload = serde_json::value::to_raw_value(event).unwrap();
    let mut context = Context::default();
    context.request_id = String::from("an-id");
    context.deadline = (now + time).as_millis().try_into().unwrap();
    Call::from_event(&payload, context, service::now()).0
}

/// Handles an event within this process, over the shared service's store.
pub(crate) async fn handle_event(operation: Operation, event: &Value) -> Reply {
    let app = app_at(&format!("http://{}", service().dynamodb_address()));
    let call = call_of(event, Duration::from_secs(20));
    handle(&app, operation, call).await
}
