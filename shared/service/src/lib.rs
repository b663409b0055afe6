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
use tokio::sync::Semaphore;

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
    /// The pairs of a group and an interval that requests may still count: all requests of the process hold at
    /// most 600,000 together, some 150 MB, beside at most 4 MB of values for each request.
    pub free_pairs: Semaphore,
    /// Held by the only request at a time that counts each person once, for which it needs some 90 MB.
    pub latest_permit: Semaphore,
}

impl App {
    /// Makes the state of a process that reads this store.
    pub fn new(store: Store) -> Self {
        let authenticator = Authenticator::new(store.clone());
        Self {
            store,
            authenticator,
            private_traits: PrivateTraits::default(),
            free_pairs: Semaphore::new(600_000),
            latest_permit: Semaphore::new(1),
        }
    }
}
