//! What both operations need to answer a request. A request passes through it in one direction: [`event`] or
//! [`Call::from_http`] reads it, [`authentication`] authenticates it, [`Parameters`] parses its query, [`store`] reads the
//! data, and [`response`] turns the result into a response, which [`log`] logs; [`error`] lists the ways to fail.

pub mod authentication;
mod call;
pub mod config;
pub mod error;
pub mod event;
mod host;
pub mod log;
mod parameters;
pub mod response;

use model::PrivateTraits;
use store::Store;

pub use call::{Call, Deadline, now};
pub use host::{Finished, Host, RESPONSE_ROOM};
pub use parameters::Parameters;

/// The state that all requests of a process share.
#[derive(Debug)]
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
