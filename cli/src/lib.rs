//! The `feedback` program: the service for everyone without an AWS account.

pub mod serve;
