//! What both operations share. A request flows one way through it: [`http`] reads it, [`auth`] says
//! who asks, [`http::Parameters`] what for, [`store`] fetches it; [`error`] is every way in which
//! that can fail.

pub mod auth;
pub mod config;
pub mod error;
pub mod http;
pub mod model;
pub mod store;

use auth::Authenticator;
use store::Store;

/// What a process builds once and every request borrows.
#[derive(Debug)]
pub struct App {
    /// The tables.
    pub store: Store,
    /// Who may ask what.
    pub authenticator: Authenticator,
}

impl App {
    /// An application over this store.
    pub fn new(store: Store) -> Self {
        let authenticator = Authenticator::new(store.clone());
        Self {
            store,
            authenticator,
        }
    }
}
