//! The environment of a function, and the state that is made of it. (The SDK and the Lambda runtime read variables of
//! their own, such as credentials and proxies.)

use std::env;

use items::TableNames;
use model::PrivateTraits;
use store::Store;

/// What the variables of a function say, read once.
#[derive(Debug)]
pub struct Config {
    /// The names of the tables.
    pub tables: TableNames,
    /// `RESPONSES_INDEX`, the name of the index of outcomes; unset or empty, the table is read instead.
    pub responses_index: Option<String>,
    /// `AWS_ENDPOINT_URL_DYNAMODB`, where DynamoDB is, if not where the SDK expects it.
    pub endpoint: Option<String>,
    /// `PRIVATE_TRAITS`, the traits by which records are not grouped (`+a` adds one to the default; empty, none).
    pub private_traits: PrivateTraits,
    /// Whether the Lambda host accepts buffered responses only. `sam local`, which sets `AWS_SAM_LOCAL`, does not
    /// support streams; nor do HTTP APIs, wherever they are.
    pub buffers_responses: bool,
    /// Whether the process runs on Lambda itself, where initialization gets more processor time than a request.
    /// Lambda's local tools do not set `AWS_LAMBDA_INITIALIZATION_TYPE`.
    pub warms_up: bool,
}

impl Config {
    /// Reads the environment.
    pub fn from_env() -> Self {
        Self {
            tables: tables_from_env(),
            responses_index: non_empty("RESPONSES_INDEX"),
            endpoint: non_empty("AWS_ENDPOINT_URL_DYNAMODB"),
            private_traits: env::var("PRIVATE_TRAITS")
                .map_or_else(|_| PrivateTraits::default(), |names| names.as_str().into()),
            buffers_responses: env::var("AWS_SAM_LOCAL").is_ok_and(|value| value == "true"),
            warms_up: env::var_os("AWS_LAMBDA_INITIALIZATION_TYPE").is_some(),
        }
    }
}

/// Reads `USERS_TABLE`, `RESPONSES_TABLE` and `CREDENTIALS_TABLE`, the names of the tables, of which each has a
/// default.
pub fn tables_from_env() -> TableNames {
    let default = TableNames::default();
    TableNames {
        users: env::var("USERS_TABLE").unwrap_or(default.users),
        responses: env::var("RESPONSES_TABLE").unwrap_or(default.responses),
        credentials: env::var("CREDENTIALS_TABLE").unwrap_or(default.credentials),
    }
}

fn non_empty(variable: &str) -> Option<String> {
    env::var(variable).ok().filter(|value| !value.is_empty())
}

/// The state that all requests of a process share.
pub struct App {
    /// Reads the tables.
    pub store: Store,
    /// The traits by which records are not grouped.
    pub private_traits: PrivateTraits,
}

impl App {
    /// Makes the state of a process that reads this store.
    pub fn new(store: Store) -> Self {
        Self {
            store,
            private_traits: PrivateTraits::default(),
        }
    }
}
