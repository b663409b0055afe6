//! The product of what a request may carry and request, and the status that the contract specifies for it.

use crate::support::{Operation, Project, basic, named_project};

/// What a credential authorizes.
const KINDS: [&str; 3] = ["statistics", "users", "both"];

/// How a request carries the secret.
const SCHEMES: [&str; 4] = ["AuthKey", "Basic username", "Basic password", "Bearer"];

/// What the secret is, compared with the valid one. The spaces are such that no transport removes.
const STATES: [&str; 9] = [
    "valid",
    "of another project",
    "revoked",
    "in another case",
    "cut",
    "padded",
    "between spaces",
    "empty",
    "unknown",
];

/// The requested project, seen from the one that the credential belongs to.
const REQUESTED: [&str; 3] = ["own", "another", "absent"];

/// A request, apart from its operation and its transport.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    kind: &'static str,
    scheme: &'static str,
    state: &'static str,
    pub(super) requested: &'static str,
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
        // Basic has another half.
        let is_sent = self.state != "empty" || self.scheme.starts_with("Basic");
        operation == Operation::Statistics && is_sent
    }

    /// Returns the status that the contract specifies (section 2).
    pub(super) fn status(self, operation: Operation) -> u16 {
        let is_accepted = match operation {
            Operation::Users => {
                self.kind != "statistics" && ["Basic password", "Bearer"].contains(&self.scheme)
            }
            Operation::Statistics => self.kind != "users" && self.scheme != "Basic password",
        };
        let authorized = match self.state {
            "valid" => "own",
            "of another project" => "another",
            _ => return 401,
        };
        match is_accepted {
            false => 401,
            true if self.requested == authorized => 200,
            true => 403,
        }
    }
}

fn revoked(kind: &str) -> String {
    format!("a-revoked-secret-of-{kind}")
}

fn password_of_both(project: &Project) -> String {
    format!("password-for-both-operations-of-{}", project.id)
}

async fn add_credential_of_both(project: &Project, password: &str) {
    let (projects, may) = ([project.id.as_str()], ["users", "statistics"]);
    let username = Some(project.username.as_str());
    project
        .add_credential(password, &projects, &may, username)
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
        own.add_read_key(&revoked("statistics")).await;
        own.add_user_credential(&revoked("users"), &own.username)
            .await;
        add_credential_of_both(&own, &revoked("both")).await;
        for kind in KINDS {
            own.revoke(&revoked(kind)).await;
        }
        Self { own, another }
    }

    fn secret(&self, kind: &str, state: &str) -> String {
        let of = |project: &Project| match kind {
            "statistics" => project.read_key.clone(),
            "users" => project.password.clone(),
            _ => password_of_both(project),
        };
        let valid = of(&self.own);
        match state {
            "valid" => valid,
            "of another project" => of(&self.another),
            "revoked" => revoked(kind),
            "in another case" => valid.to_uppercase(),
            "cut" => valid[..valid.len() - 1].to_owned(),
            "padded" => format!("{valid}0"),
            "between spaces" => format!("\u{a0}{valid}\u{a0}"),
            "empty" => String::new(),
            _ => "unknown".repeat(6),
        }
    }

    /// Returns the header line that carries the credential.
    pub(super) fn line(&self, cell: Cell) -> (&'static str, String) {
        let secret = self.secret(cell.kind, cell.state);
        let username = match cell.state {
            "of another project" => &self.another.username,
            _ => &self.own.username,
        };
        match cell.scheme {
            "AuthKey" => ("AuthKey", secret),
            "Basic username" => ("Authorization", basic(&secret, "None")),
            "Basic password" => ("Authorization", basic(username, &secret)),
            _ => ("Authorization", format!("Bearer {secret}")),
        }
    }

    pub(super) fn project(&self, requested: &str) -> &str {
        match requested {
            "own" => &self.own.id,
            "another" => &self.another.id,
            _ => "matrix-absent",
        }
    }
}
