//! The requests of the soak, and the only bodies with which they may succeed: those of a store without faults.

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::future::ready;
use std::io::Read;
use std::time::Duration;
use test_support::in_process;
use test_support::stub::Answer;
use tokio::sync::OnceCell;

use super::project;
use crate::support::{Operation, app_with, basic, call_of, event_with, handle};

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

    pub(super) fn operation(self) -> Operation {
        if self.is_of_statistics() {
            Operation::Statistics
        } else {
            Operation::Users
        }
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
        let expected = self.healthy();
        if self.is_of_statistics() {
            let is_right = body == expected.as_bytes();
            return if is_right {
                Content::Right
            } else {
                Content::Wrong
            };
        }
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

    /// Returns the body of the response over a store without faults, without compression.
    fn healthy(self) -> &'static str {
        let healthy = HEALTHY.get().unwrap().iter();
        let mut bodies = healthy.filter(|(request, _)| *request == self);
        &bodies.next().unwrap().1
    }
}

static HEALTHY: OnceCell<Vec<(Request, String)>> = OnceCell::const_new();

/// Learns the bodies of all responses.
pub(super) async fn learn() {
    HEALTHY.get_or_init(learned).await;
}

async fn learned() -> Vec<(Request, String)> {
    let app = app_with(&in_process::client(|operation, input| {
        ready(Answer::from(project::response(&operation, &input)))
    }));
    let mut learned = Vec::new();
    for request in OF_STATISTICS.into_iter().chain(OF_USERS) {
        // A body that is compressed is compared without its compression.
        let plain = match request {
            Request::AllUsersCompressed => Request::AllUsers,
            request => request,
        };
        let call = call_of(&plain.event(0), Duration::from_secs(20));
        let reply = handle(&app, request.operation(), call).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        learned.push((request, reply.text().to_owned()));
    }
    learned
}
