//! Settings from the environment. The SDK and the Lambda runtime read variables of their own, such
//! as credentials and proxies; of ours, only the credentials of a client are read elsewhere, by the
//! commands that send them.

use std::env;

use serde::{Deserialize, Serialize};

use crate::items::Table;
use crate::model::PrivateTraits;

/// The names of the three tables.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Tables {
    /// `USERS_TABLE`; default `users`.
    pub users: String,
    /// `RESPONSES_TABLE`; default `responses`.
    pub responses: String,
    /// `CREDENTIALS_TABLE`; default `credentials`.
    pub credentials: String,
}

impl Tables {
    /// Returns the name of a table.
    pub fn name(&self, table: Table) -> &str {
        match table {
            Table::USERS => &self.users,
            Table::RESPONSES => &self.responses,
            Table::Credentials => &self.credentials,
        }
    }

    /// Reads the names from the environment.
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

/// Returns `AWS_ENDPOINT_URL_DYNAMODB`, which replaces the region's DynamoDB endpoint.
pub fn endpoint() -> Option<String> {
    env::var("AWS_ENDPOINT_URL_DYNAMODB")
        .ok()
        .filter(|url| !url.is_empty())
}

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
