//! The requests of the soak, and the only bodies with which they may succeed.

use std::io::Read;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use super::project;
use crate::support::{basic, event_with};

/// A request, of the project `p`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Request {
    Statistics,
    FilteredStatistics,
    MonthlyStatistics,
    User,
    PageOfUsers,
    AllUsers,
    AllUsersCompressed,
}

pub(super) const OF_STATISTICS: [Request; 3] = [
    Request::Statistics,
    Request::FilteredStatistics,
    Request::MonthlyStatistics,
];

/// The list of all users is the longest: half of the requests are for it.
pub(super) const OF_USERS: [Request; 6] = [
    Request::User,
    Request::PageOfUsers,
    Request::PageOfUsers,
    Request::AllUsers,
    Request::AllUsers,
    Request::AllUsersCompressed,
];

/// The body of a response with the status 200, compared with the right one.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content {
    Right,
    /// It is the beginning of the right one, and its transport reported a failure.
    BrokenOff,
    /// It is shorter than the right one, and can be taken for whole.
    Cut,
    Wrong,
}

impl Request {
    pub(super) fn is_of_statistics(self) -> bool {
        OF_STATISTICS.contains(&self)
    }

    /// Returns whether the response may be a stream.
    pub(super) fn is_list(self) -> bool {
        matches!(self, Self::AllUsers | Self::AllUsersCompressed)
    }

    /// Returns the secret of this number, of a credential that authorizes the request.
    pub(super) fn secret(self, number: u64) -> String {
        project::secret(number, self.is_of_statistics())
    }

    /// Returns the event of API Gateway, with the secret of this number. Its credential is read from the store, unless a request
    /// of the same process had the number before.
    pub(super) fn event(self, secret: u64) -> Value {
        let secret = self.secret(secret);
        if self.is_of_statistics() {
            let mut query =
                json!({"project": "p", "startDate": "2026-01-01", "endDate": "2026-04-01"});
            match self {
                Self::FilteredStatistics => {
                    query["filters[user.traits.string.plan][operator]"] = json!("eq");
                    query["filters[user.traits.string.plan][value]"] = json!("pro");
                }
                Self::MonthlyStatistics => query["interval"] = json!("month"),
                _ => {}
            }
            return event_with("response-statistics-rest", &[("AuthKey", &secret)], query);
        }
        let query = match self {
            Self::User => json!({"project": "p", "userId": "user-041"}),
            Self::PageOfUsers => json!({"project": "p", "limit": "40"}),
            _ => json!({"project": "p"}),
        };
        let account = basic("u", &secret);
        let encoding = if self == Self::AllUsersCompressed {
            "gzip"
        } else {
            "identity"
        };
        let headers = [
            ("Authorization", account.as_str()),
            ("Accept-Encoding", encoding),
        ];
        event_with("users-rest", &headers, query)
    }

    /// Compares a body with the right one. `ended` says whether its transport reported its end, and no failure.
    pub(super) fn compare(self, body: &[u8], compressed: bool, ended: bool) -> Content {
        let expected = match self {
            Self::User => project::list(41, 1),
            Self::PageOfUsers => project::list(0, 40),
            Self::AllUsers | Self::AllUsersCompressed => project::all_users(),
            _ if self.has_figures(body) => return Content::Right,
            _ => return Content::Wrong,
        };
        let mut text = body.to_vec();
        let mut inflates = true;
        if compressed {
            text.clear();
            inflates = GzDecoder::new(body).read_to_end(&mut text).is_ok();
        }
        let is_beginning = expected.as_bytes().starts_with(&text);
        let is_whole = text.len() == expected.len() && inflates;
        match (is_beginning, ended) {
            (true, true) if is_whole => Content::Right,
            (true, false) if self.is_list() => Content::BrokenOff,
            _ if text.len() < expected.len() || !inflates => Content::Cut,
            _ => Content::Wrong,
        }
    }

    fn has_figures(self, text: &[u8]) -> bool {
        let figures = project::figures(
            self == Self::FilteredStatistics,
            self == Self::MonthlyStatistics,
        );
        let document: Option<Value> = serde_json::from_slice(text).ok();
        let elements = document.and_then(|document| document["data"].as_array().cloned());
        let attributes = |element: Value| element["attributes"].clone();
        elements.is_some_and(|elements| elements.into_iter().map(attributes).eq(figures))
    }
}
