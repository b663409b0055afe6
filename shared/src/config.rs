//! Settings from the environment. Nothing else reads it, but for the AWS SDK and the Lambda runtime
//! themselves.

use std::env;

/// The names of the three tables.
#[derive(Debug, Clone)]
pub struct Tables {
    /// `USERS_TABLE`, by default `users`.
    pub users: String,
    /// `RESPONSES_TABLE`, by default `responses`.
    pub responses: String,
    /// `CREDENTIALS_TABLE`, by default `credentials`.
    pub credentials: String,
}

impl Tables {
    /// The names that the environment gives, or the defaults.
    pub fn from_env() -> Self {
        let name =
            |variable, default: &str| env::var(variable).unwrap_or_else(|_| default.to_owned());
        Self {
            users: name("USERS_TABLE", "users"),
            responses: name("RESPONSES_TABLE", "responses"),
            credentials: name("CREDENTIALS_TABLE", "credentials"),
        }
    }
}

/// Another address of DynamoDB than the region's: `AWS_ENDPOINT_URL_DYNAMODB`.
pub fn endpoint() -> Option<String> {
    env::var("AWS_ENDPOINT_URL_DYNAMODB")
        .ok()
        .filter(|url| !url.is_empty())
}

/// Whether the Lambda host takes whole answers only. `sam local`, which sets `AWS_SAM_LOCAL`, cannot
/// take streams.
pub fn buffers_responses() -> bool {
    env::var("AWS_SAM_LOCAL").is_ok_and(|value| value == "true")
}

/// Whether the process starts where starting is fast and waiting is not: on Lambda itself, which
/// says how it was started. Its local tools do not.
pub fn warms_up() -> bool {
    env::var_os("AWS_LAMBDA_INITIALIZATION_TYPE").is_some()
}
