//! Whole responses of the API.

use axum::http::{HeaderMap, StatusCode};
use bytes::Bytes;
use serde_json::Value;

/// A response, over whichever transport it arrived.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The status.
    pub status: StatusCode,
    /// All header lines.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Bytes,
}

impl Reply {
    /// Returns the body, which is text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// Returns the body, which is JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns the first line of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// Returns the id of the request, which every response has.
    pub fn request_id(&self) -> &str {
        self.header("x-request-id").unwrap()
    }

    /// Returns the `attributes` of each element of a statistics response.
    #[track_caller]
    pub fn elements(&self) -> Vec<Value> {
        assert_eq!(self.status, 200, "{self:?}");
        let data = self.json()["data"].as_array().unwrap().clone();
        let attributes = |mut element: Value| element["attributes"].take();
        data.into_iter().map(attributes).collect()
    }

    /// Returns the `attributes` of the first element of a statistics response.
    #[track_caller]
    pub fn figures(&self) -> Value {
        self.elements().swap_remove(0)
    }

    /// Returns the `userId`s of a users response.
    #[track_caller]
    pub fn user_ids(&self) -> Vec<String> {
        assert_eq!(self.status, 200, "{self:?}");
        let users = self.json()["users"].as_array().unwrap().clone();
        let id = |user: &Value| user["userId"].as_str().unwrap().to_owned();
        users.iter().map(id).collect()
    }

    /// Checks the status, and returns the code of the only error.
    #[track_caller]
    pub fn code(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{self:?}");
        let errors = self.json()["errors"].as_array().unwrap().clone();
        assert_eq!(errors.len(), 1, "{self:?}");
        errors[0]["code"].as_str().unwrap().to_owned()
    }
}
