//! What both operations need to answer a request. A request passes through it in one direction:
//! [`http::Call`] reads it, [`auth`] authenticates it, [`http::Parameters`] parses its query, and
//! [`store`] reads the data; [`error`] lists the ways to fail.

pub mod auth;
pub mod config;
pub mod error;
pub mod http;

use model::PrivateTraits;
use store::Store;

use auth::Authenticator;

/// The state that all requests of a process share.
#[derive(Debug)]
pub struct App {
    /// Reads the tables.
    pub store: Store,
    /// Verifies credentials.
    pub authenticator: Authenticator,
    /// The traits by which records are not grouped.
    pub private_traits: PrivateTraits,
}

impl App {
    /// Makes the state of a process that reads this store.
    pub fn new(store: Store) -> Self {
        let authenticator = Authenticator::new(store.clone());
        Self {
            store,
            authenticator,
            private_traits: PrivateTraits::default(),
        }
    }
}
