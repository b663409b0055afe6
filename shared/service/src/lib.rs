//! What both operations need to answer a request. A request passes through it in one direction: [`event`] or
//! [`Call::from_http`] reads it, [`auth`] authenticates it, [`Parameters`] parses its query, [`store`] reads the
//! data, and [`response`] turns the result into a response, which [`log`] logs; [`error`] lists the ways to fail.

pub mod auth;
mod call;
pub mod config;
pub mod error;
pub mod event;
pub mod log;
mod parameters;
pub mod response;

use model::PrivateTraits;
use store::Store;

use auth::Authenticator;

pub use call::{Call, Deadline, Host, now};
pub use parameters::Parameters;

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
