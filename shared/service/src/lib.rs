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

pub use call::{Call, Deadline, now};
pub use config::App;
pub use host::{Finished, Host, RESPONSE_ROOM};
pub use parameters::Parameters;
