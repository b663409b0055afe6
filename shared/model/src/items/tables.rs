//! The names of the tables.

use serde::{Deserialize, Serialize};

use super::table::Table;

/// The names of the three tables.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Tables {
    /// By default `users`.
    pub users: String,
    /// By default `responses`.
    pub responses: String,
    /// By default `credentials`.
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
}

impl Default for Tables {
    fn default() -> Self {
        Self {
            users: "users".to_owned(),
            responses: "responses".to_owned(),
            credentials: "credentials".to_owned(),
        }
    }
}
