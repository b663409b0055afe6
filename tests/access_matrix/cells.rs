//! The product of what a request may carry and request, and the status that the contract specifies for it.

use crate::support::{Operation, Project, basic, named_project};

/// What a credential authorizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    ReadKey,
    Users,
    Both,
}

/// How a request carries the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    AuthKey,
    BasicUsername,
    BasicPassword,
    Bearer,
}

/// What the secret is, compared with the valid one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Valid,
    OfAnotherProject,
    Revoked,
    OtherCase,
    Cut,
    Padded,
    /// Between spaces that no transport removes.
    Spaced,
    Empty,
    Unknown,
}

/// The requested project, seen from the one that the credential belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Requested {
    Own,
    Another,
    Absent,
}

const KINDS: [Kind; 3] = [Kind::ReadKey, Kind::Users, Kind::Both];
const SCHEMES: [Scheme; 4] = [
    Scheme::AuthKey,
    Scheme::BasicUsername,
    Scheme::BasicPassword,
    Scheme::Bearer,
];
const STATES: [State; 9] = [
    State::Valid,
    State::OfAnotherProject,
    State::Revoked,
    State::OtherCase,
    State::Cut,
    State::Padded,
    State::Spaced,
    State::Empty,
    State::Unknown,
];
const REQUESTED: [Requested; 3] = [Requested::Own, Requested::Another, Requested::Absent];

/// A request, apart from its operation and its transport.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    kind: Kind,
    scheme: Scheme,
    state: State,
    pub(super) requested: Requested,
}

/// Two projects, each with a user and a credential of each kind; and a revoked credential of each kind.
pub(super) struct World {
    pub(super) own: Project,
    pub(super) another: Project,
}

pub(super) fn cells() -> Vec<Cell> {
    let mut cells = Vec::new();
    for kind in KINDS {
        for scheme in SCHEMES {
            for state in STATES {
                cells.extend(REQUESTED.map(|requested| Cell {
                    kind,
                    scheme,
                    state,
                    requested,
                }));
            }
        }
    }
    cells
}

impl Cell {
    /// Returns whether the request carries something in the place of a Read Key, and the operation says so.
    pub(super) fn claims_read_key(self, operation: Operation) -> bool {
        let is_sent = self.state != State::Empty || self.scheme == Scheme::BasicPassword;
        operation == Operation::Statistics && is_sent
    }

    /// Returns the status that the contract specifies (section 2).
    pub(super) fn status(self, operation: Operation) -> u16 {
        let is_accepted = match operation {
            Operation::Users => {
                self.kind != Kind::ReadKey
                    && matches!(self.scheme, Scheme::BasicPassword | Scheme::Bearer)
            }
            Operation::Statistics => {
                self.kind != Kind::Users && self.scheme != Scheme::BasicPassword
            }
        };
        let authorized = match self.state {
            State::Valid => Requested::Own,
            State::OfAnotherProject => Requested::Another,
            _ => return 401,
        };
        match is_accepted {
            false => 401,
            true if self.requested == authorized => 200,
            true => 403,
        }
    }
}

fn revoked(kind: Kind) -> String {
    format!("a-revoked-secret-of-{kind:?}")
}

fn password_of_both(project: &Project) -> String {
    format!("password-for-both-operations-of-{}", project.id)
}

async fn add_credential_of_both(project: &Project, password: &str) {
    let (projects, username) = ([project.id.as_str()], project.username.as_str());
    project
        .add_credential(
            password,
            &projects,
            &["users", "statistics"],
            Some(username),
        )
        .await;
}

impl World {
    pub(super) async fn new() -> Self {
        let own = named_project("matrix-own").await;
        let another = named_project("matrix-another").await;
        for project in [&own, &another] {
            let user = format!("user-of-{}", project.id);
            project.put_user(&user, &[]).await;
            add_credential_of_both(project, &password_of_both(project)).await;
        }
        own.add_read_key(&revoked(Kind::ReadKey)).await;
        own.add_user_credential(&revoked(Kind::Users), &own.username)
            .await;
        add_credential_of_both(&own, &revoked(Kind::Both)).await;
        for kind in KINDS {
            own.revoke(&revoked(kind)).await;
        }
        Self { own, another }
    }

    fn secret(&self, kind: Kind, state: State) -> String {
        let of = |project: &Project| match kind {
            Kind::ReadKey => project.read_key.clone(),
            Kind::Users => project.password.clone(),
            Kind::Both => password_of_both(project),
        };
        let valid = of(&self.own);
        match state {
            State::Valid => valid,
            State::OfAnotherProject => of(&self.another),
            State::Revoked => revoked(kind),
            State::OtherCase => valid.to_uppercase(),
            State::Cut => valid[..valid.len() - 1].to_owned(),
            State::Padded => format!("{valid}0"),
            State::Spaced => format!("\u{a0}{valid}\u{a0}"),
            State::Empty => String::new(),
            State::Unknown => "unknown".repeat(6),
        }
    }

    /// Returns the header line that carries the credential.
    pub(super) fn line(&self, cell: Cell) -> (&'static str, String) {
        let secret = self.secret(cell.kind, cell.state);
        let username = match cell.state {
            State::OfAnotherProject => &self.another.username,
            _ => &self.own.username,
        };
        match cell.scheme {
            Scheme::AuthKey => ("AuthKey", secret),
            Scheme::BasicUsername => ("Authorization", basic(&secret, "None")),
            Scheme::BasicPassword => ("Authorization", basic(username, &secret)),
            Scheme::Bearer => ("Authorization", format!("Bearer {secret}")),
        }
    }

    pub(super) fn project(&self, requested: Requested) -> &str {
        match requested {
            Requested::Own => &self.own.id,
            Requested::Another => &self.another.id,
            Requested::Absent => "matrix-absent",
        }
    }
}
