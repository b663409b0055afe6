//! The items of credentials.

use aws_sdk_dynamodb::types::AttributeValue;

use super::attributes::{Item, string};
use crate::model::{Account, Credential, CredentialKind, ReadKey};

/// Decodes the item of a credential; returns `None` if it is damaged or of an unknown kind.
pub fn decode_credential(item: &Item) -> Option<Credential> {
    match string(item, "kind")?.parse().ok()? {
        CredentialKind::ReadKey => Some(Credential::ReadKey(ReadKey {
            project: string(item, "project")?.parse().ok()?,
        })),
        CredentialKind::Account => {
            let projects = item.get("projects")?.as_ss().ok()?;
            Some(Credential::Account(Account {
                username: string(item, "username")?.to_owned(),
                projects: projects
                    .iter()
                    .map(|project| project.parse().ok())
                    .collect::<Option<_>>()?,
                statistics: matches!(item.get("statistics"), Some(AttributeValue::Bool(true))),
            }))
        }
    }
}
