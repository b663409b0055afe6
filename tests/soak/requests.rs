//! The requests of the soak, and the only bodies with which they may succeed: those of a store without faults.

use std::collections::BTreeMap;

use serde_json::Value;
use service::App;
use test_support::Random;

use crate::support::{Operation, ask, basic};

/// A request, of the project `p`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request {
    pub(super) operation: Operation,
    query: &'static str,
    encoding: &'static str,
}

/// Targets, and what is accepted beside plain text. The list of all users is the longest: half of the requests
/// for users are for it.
const REQUESTS: &str = "
    response-statistics?project=p&startDate=2026-01-01&endDate=2026-04-01
    response-statistics?project=p&startDate=2026-01-01&endDate=2026-04-01&filter=plan=eq:pro
    response-statistics?project=p&startDate=2026-01-01&endDate=2026-04-01&interval=month
    users?project=p&userId=user-041
    users?project=p&limit=40
    users?project=p&limit=40
    users?project=p
    users?project=p
    users?project=p gzip
";

fn requests() -> impl Iterator<Item = Request> {
    REQUESTS.trim().lines().map(|line| {
        let (target, encoding) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let (operation, query) = Operation::of_target(target);
        Request {
            operation,
            query,
            encoding,
        }
    })
}

/// Chooses a request for an operation.
pub(super) fn choose(operation: Operation, random: &mut Random) -> Request {
    let of_operation = requests().filter(|it| it.operation == operation);
    random.choose(&of_operation.collect::<Vec<_>>())
}

impl Request {
    /// Returns whether the response may be a stream.
    pub(super) fn is_list(self) -> bool {
        self.operation == Operation::Users && self.query == "project=p"
    }

    /// Returns the event of API Gateway, with the secret of this number. Its credential is read from the store, unless a request
    /// of the same process had the number before.
    pub(super) fn event(self, secret: u64) -> Value {
        let secret = format!("a long secret {secret}");
        let account = basic("u", &secret);
        let headers = [
            ("AuthKey", secret.as_str()),
            ("Authorization", &account),
            ("Accept-Encoding", self.encoding),
        ];
        self.operation.rest(self.query, &headers)
    }
}

/// The bodies of all responses, without compression.
pub(super) struct Healthy(BTreeMap<&'static str, String>);

impl Healthy {
    /// Learns the bodies from handlers over a store without faults.
    pub(super) async fn of(app: &App) -> Self {
        let mut bodies = BTreeMap::new();
        for request in requests() {
            let reply = ask(app, request.operation, &format!("?{}", request.query)).await;
            assert_eq!(reply.status, 200, "{reply:?}");
            bodies.insert(request.query, reply.text().to_owned());
        }
        Self(bodies)
    }

    /// Returns the right body of the response to a request.
    pub(super) fn body(&self, request: Request) -> &str {
        &self.0[request.query]
    }
}
