//! Who may read what: every kind of credential, in every scheme and state, for every operation and project,
//! over every transport.

mod cells;

use std::collections::BTreeSet;

use futures_util::future::join_all;

use self::cells::{World, cells};
use crate::support::{Lines, Operation, Reply, Route, Transport};

/// Returns the status, every header but the time, and the body, without the id of the request.
fn anonymous(reply: &Reply) -> String {
    let mut reply = reply.clone();
    reply.headers.remove("date");
    let status_and_headers = format!("{} {:?}", reply.status, reply.headers);
    (status_and_headers + reply.text()).replace(reply.request_id(), "ID")
}

/// The replies of one status to the requests of one operation, and their number. No two of them may
/// differ, apart from what a transport adds.
#[derive(Default)]
struct Alike {
    count: usize,
    over_each_transport: [BTreeSet<String>; Transport::ALL.len()],
    bodies: BTreeSet<String>,
}

impl Alike {
    fn add(&mut self, transport: Transport, reply: &Reply) {
        self.count += 1;
        self.over_each_transport[transport as usize].insert(anonymous(reply));
        let body = reply.text().replace(reply.request_id(), "ID");
        let challenge = reply.header("www-authenticate").unwrap_or("no challenge");
        self.bodies.insert(format!("{challenge} {body}"));
    }

    #[track_caller]
    fn assert_alike(&self, count: usize) {
        assert_eq!(self.count, count);
        for replies in &self.over_each_transport {
            assert!(replies.len() <= 1, "{replies:#?}");
        }
        assert!(self.bodies.len() <= 1, "{:#?}", self.bodies);
    }
}

/// Sends these requests for projects, with these lines, over all transports at once. The replies of each are
/// in the order of the requests.
async fn send(
    operation: Operation,
    requests: &[(&str, &Lines<'_>)],
) -> Vec<(Transport, Vec<Reply>)> {
    let over = Transport::ALL.map(async |transport| {
        let mut route = Route::open(operation, transport);
        let mut replies = Vec::new();
        for (project, lines) in requests {
            replies.push(route.get(project, lines).await);
        }
        (transport, replies)
    });
    join_all(over).await
}

#[tokio::test]
async fn exactly_the_credentials_of_a_project_read_it_and_refusals_do_not_differ() {
    let world = World::new().await;
    let cells = cells();
    let lines: Vec<_> = cells.iter().map(|cell| world.line(*cell)).collect();
    let lines = lines.iter().map(|(name, value)| [(*name, value.as_str())]);
    let lines: Vec<_> = lines.collect();
    let projects = cells.iter().map(|cell| world.project(cell.requested));
    let requests: Vec<_> = projects.zip(lines.iter().map(<[_; 1]>::as_slice)).collect();
    for operation in Operation::ALL {
        let [mut allowed, mut absent, mut wrong, mut forbidden] =
            [(); 4].map(|()| Alike::default());
        for (transport, replies) in send(operation, &requests).await {
            assert_eq!(replies.len(), cells.len());
            for (cell, reply) in cells.iter().zip(&replies) {
                let expected = cell.status(operation);
                let asked = format!("{operation:?} {transport:?} {cell:?}");
                assert_eq!(reply.status, expected, "{asked}");
                match expected {
                    401 if cell.claims_read_key(operation) => wrong.add(transport, reply),
                    401 => absent.add(transport, reply),
                    403 => forbidden.add(transport, reply),
                    _ => {
                        allowed.count += 1;
                        assert_only_of(&world, cell.requested, reply);
                    }
                }
            }
        }
        // 3 kinds × 4 schemes × 9 states × 3 projects × 3 transports = 972. Each operation accepts 2 kinds.
        let accepted_schemes = match operation {
            Operation::Users => 2 * 2,
            Operation::Statistics => 2 * 3,
        };
        assert_eq!(allowed.count, 6 * accepted_schemes);
        forbidden.assert_alike(12 * accepted_schemes);
        let expected = match operation {
            Operation::Users => [972 - 18 * accepted_schemes, 0],
            // 3 kinds × 2 schemes without a secret × 3 projects × 3 transports.
            Operation::Statistics => [54, 972 - 18 * accepted_schemes - 54],
        };
        absent.assert_alike(expected[0]);
        wrong.assert_alike(expected[1]);
    }
}

/// Checks that a reply tells of the requested project, and of no other.
#[track_caller]
fn assert_only_of(world: &World, requested: &str, reply: &Reply) {
    for project in [&world.own, &world.another] {
        let is_requested = project.id == world.project(requested);
        let is_told = reply.text().contains(&project.id);
        assert_eq!(is_told, is_requested, "{reply:?}");
    }
}
