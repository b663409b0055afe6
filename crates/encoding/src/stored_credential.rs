//! The items of credentials, as commands create and list them.

use aws_sdk_dynamodb::types::AttributeValue;
use shared::items::{Item, decode_credential, parsed, string};
use shared::model::{Account, Credential, Digest, ProjectId, Secret, Timestamp};

use super::item_map::{item, text};

/// A credential to be stored.
pub struct NewCredential<'a> {
    /// The secret, of which only the digest is stored.
    pub secret: &'a Secret,
    /// What it authorizes.
    pub credential: &'a Credential,
    /// A label for lists.
    pub label: Option<&'a str>,
    /// When it was created.
    pub created: Timestamp,
}

impl NewCredential<'_> {
    /// Encodes the credential.
    pub fn item(&self) -> Item {
        let (project, account) = match self.credential {
            Credential::ReadKey(key) => (Some(text(key.project.as_str())), None),
            Credential::Account(account) => (None, Some(account)),
        };
        item([
            ("digest", Some(text(&self.secret.digest().to_string()))),
            ("kind", Some(text(&self.credential.kind().to_string()))),
            ("project", project),
            ("username", account.map(|account| text(&account.username))),
            ("projects", account.map(project_set)),
            (
                "statistics",
                account
                    .and_then(|account| account.statistics.then_some(AttributeValue::Bool(true))),
            ),
            ("label", self.label.map(text)),
            ("created", Some(text(&self.created.to_string()))),
        ])
    }
}

/// A credential as it is listed: what it authorizes, without the secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCredential {
    /// The digest of the secret.
    pub digest: Digest,
    /// `None` if the item is damaged or of an unknown kind, and authorizes nothing.
    pub credential: Option<Credential>,
    /// The label that it was created with.
    pub label: Option<String>,
    /// When it was created.
    pub created: Option<Timestamp>,
}

impl StoredCredential {
    /// Returns whether it authorizes this project.
    pub fn authorizes(&self, project: &ProjectId) -> bool {
        let credential = self.credential.as_ref();
        credential.is_some_and(|credential| credential.projects().contains(project))
    }

    /// Decodes an item; returns `None` if its key is no digest.
    pub fn from_item(item: &Item) -> Option<Self> {
        Some(Self {
            digest: parsed(item, "digest")?,
            credential: decode_credential(item),
            label: string(item, "label").map(str::to_owned),
            created: parsed(item, "created"),
        })
    }
}

/// Encodes the attribute `projects` of an account.
pub fn project_set(account: &Account) -> AttributeValue {
    AttributeValue::Ss(account.projects.iter().map(ToString::to_string).collect())
}

/// Returns the key of the credential with this text of a digest.
pub fn credential_key(digest: &str) -> Item {
    item([("digest", Some(text(digest)))])
}
