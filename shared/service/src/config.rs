//! Settings from the environment. The SDK and the Lambda runtime read variables of their own, such
//! as credentials and proxies; of ours, [`Tables`](model::items::Tables) reads the names of the tables, and the
//! commands that send them read the credentials of a client.

use std::env;

use model::PrivateTraits;

/// Returns `RESPONSES_INDEX`, the name of the index of outcomes; unset or empty, the table is read instead.
pub fn responses_index() -> Option<String> {
    env::var("RESPONSES_INDEX")
        .ok()
        .filter(|name| !name.is_empty())
}

/// Returns `PRIVATE_TRAITS`, the traits by which records are not grouped; empty, there are none.
pub fn private_traits() -> PrivateTraits {
    let names = env::var("PRIVATE_TRAITS").ok();
    names.as_deref().unwrap_or(PrivateTraits::DEFAULT).into()
}

/// Returns `METRICS_NAMESPACE`, where CloudWatch keeps the metrics of a function; default
/// `SurveyFeedback`.
pub fn metrics_namespace() -> String {
    env::var("METRICS_NAMESPACE").unwrap_or_else(|_| "SurveyFeedback".to_owned())
}

/// Returns whether the Lambda host accepts buffered responses only. `sam local`, which sets
/// `AWS_SAM_LOCAL`, does not support streams; nor do HTTP APIs, wherever they are.
pub fn buffers_responses() -> bool {
    env::var("AWS_SAM_LOCAL").is_ok_and(|value| value == "true")
}

/// Returns whether the process runs on Lambda itself, where initialization gets more processor time
/// than a request. Lambda's local tools do not set this variable.
pub fn warms_up() -> bool {
    env::var_os("AWS_LAMBDA_INITIALIZATION_TYPE").is_some()
}
