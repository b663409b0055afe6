//! A store in the process of its caller.

use std::fmt;
use std::pin::Pin;

use aws_sdk_dynamodb::operation::query::builders::QueryInputBuilder;

/// Answers Queries without the SDK, which takes several times as long for a small page as reading it.
pub trait LocalStore: fmt::Debug + Send + Sync {
    /// Returns the body of the response in DynamoDB's JSON, in which items may have more attributes than the
    /// Query projects. With `None`, or without a response in five seconds, the Query is sent through the client, which
    /// retries and reports failures.
    fn query(&self, query: &QueryInputBuilder) -> LocalResponse;
}

/// A response of a [`LocalStore`].
pub type LocalResponse = Pin<Box<dyn Future<Output = Option<Vec<u8>>> + Send>>;
