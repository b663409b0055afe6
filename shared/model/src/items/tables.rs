//! The names of the tables.

use std::env;

use serde::{Deserialize, Serialize};

use super::table::Table;

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
            Table::Users => &self.users,
            Table::Responses => &self.responses,
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
