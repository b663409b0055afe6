//! The refusals of requests that nothing authenticates or authorizes, as errors (contract, section 2).

use auth::{AuthenticationError, Credential, Permission};
use model::ProjectId;
use store::Store;

use crate::call::Call;
use crate::error::Error;

/// Authenticates a request to the operation of this permission.
///
/// # Errors
///
/// Refuses a request without a credential that has the permission.
pub async fn authenticate(
    call: &Call,
    operation: Permission,
    store: &Store,
) -> Result<Credential, Error> {
    let read = auth::authenticate(&call.headers, operation, store, &call.usage);
    match call.deadline.limit(read).await? {
        Ok((digest, credential)) => {
            call.record_credential(digest);
            Ok(credential)
        }
        Err(AuthenticationError::Unreadable(error)) => Err(error.into()),
        Err(refusal) => Err(match operation {
            Permission::Users => no_password(),
            Permission::Statistics => no_read_key(&refusal),
        }),
    }
}

/// Checks that the credential authorizes this project.
///
/// # Errors
///
/// Refuses any other project, whether or not it exists.
pub fn authorize(credential: &Credential, project: &ProjectId) -> Result<(), Error> {
    if credential.projects().contains(project) {
        Ok(())
    } else {
        Err(Error::forbidden())
    }
}

fn no_password() -> Error {
    Error::unauthenticated(
        "Authorization",
        r#"Basic realm="survey-feedback", charset="UTF-8""#,
        "Send the username and password of a credential for users with HTTP Basic authentication.",
    )
}

fn no_read_key(refusal: &AuthenticationError) -> Error {
    Error::unauthenticated(
        "AuthKey",
        r#"AuthKey realm="survey-feedback""#,
        match refusal {
            AuthenticationError::NoClaim => "Send a Read Key in the AuthKey header.",
            _ => "Send a valid Read Key in the AuthKey header.",
        },
    )
}
