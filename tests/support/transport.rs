//! The transports of a request: HTTP, and both kinds of API Gateway's events.

use super::{
    Api, Bootstrap, Reply, STATISTICS, STATISTICS_PROGRAM, USERS, USERS_PROGRAM, bootstrap,
};

/// Header lines, as names and values.
pub(crate) type Lines<'a> = [(&'a str, &'a str)];

/// An operation of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Users,
    Statistics,
}

/// How a request reaches an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    /// HTTP, to the shared service.
    Http,
    /// An event of a REST API, to the function's program.
    V1,
    /// An event of an HTTP API, to the function's program.
    V2,
}

/// Sends requests to one operation over one transport.
pub(crate) struct Route {
    pub(crate) operation: Operation,
    pub(crate) transport: Transport,
    /// Runs unless the transport is HTTP.
    program: Option<Bootstrap>,
}

impl Operation {
    pub(crate) const ALL: [Self; 2] = [Self::Users, Self::Statistics];

    fn path(self) -> &'static str {
        match self {
            Self::Users => USERS,
            Self::Statistics => STATISTICS,
        }
    }

    pub(crate) fn program(self) -> &'static str {
        match self {
            Self::Users => USERS_PROGRAM,
            Self::Statistics => STATISTICS_PROGRAM,
        }
    }

    /// Reads a target such as `users?limit=2`: the name of an operation, and a query.
    pub(crate) fn of_target(target: &str) -> (Self, &str) {
        let (name, query) = target.split_once('?').unwrap();
        let named = Self::ALL.into_iter().find(|it| it.name() == name);
        (named.unwrap(), query)
    }

    /// Returns the last segment of the path, which is also the name of the function.
    pub(crate) fn name(self) -> &'static str {
        self.path().rsplit('/').next().unwrap()
    }
}

impl Transport {
    pub(crate) const ALL: [Self; 3] = [Self::Http, Self::V1, Self::V2];
}

impl Route {
    /// Starts the function's program if the transport is an event.
    pub(crate) fn open(operation: Operation, transport: Transport) -> Self {
        let program = match transport {
            Transport::Http => None,
            Transport::V1 | Transport::V2 => Some(bootstrap(operation.program(), &[])),
        };
        Self {
            operation,
            transport,
            program,
        }
    }

    /// Requests a project with these lines as the only ones that the transport does not add itself.
    pub(crate) async fn get(&mut self, project: &str, lines: &Lines<'_>) -> Reply {
        let query = format!("project={project}");
        let Some(program) = &mut self.program else {
            let target = format!("{}?{query}", self.operation.path());
            return Api::shared().get(&target, lines).await;
        };
        let event = match self.transport {
            Transport::V1 => self.operation.rest(&query, lines),
            _ => self.operation.http(&query, lines),
        };
        program.invoke(&event).await.response()
    }
}
