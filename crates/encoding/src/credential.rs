//! The items of credentials, as commands create and list them.

use model::items::{CredentialItem, Json};
use model::{Credential, Digest, ProjectId, Secret, Timestamp};

use super::item_members::{ItemMembers, ItemValue, key};

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
    /// Encodes the credential, in DynamoDB's JSON.
    pub fn item(&self) -> String {
        let mut item = ItemMembers::default();
        let mut set = |name: &'static str, value| drop(item.set(name.into(), Some(value)));
        set(
            "digest",
            ItemValue::string(&self.secret.digest().to_string()),
        );
        set(
            "kind",
            ItemValue::string(&self.credential.kind().to_string()),
        );
        match self.credential {
            Credential::ReadKey(project) => set("project", ItemValue::string(project.as_str())),
            Credential::Account(account) => {
                let projects = account.projects.iter().map(ProjectId::as_str);
                set("username", ItemValue::string(&account.username));
                set("projects", ItemValue::strings(projects));
                if account.statistics {
                    set("statistics", ItemValue::TRUE);
                }
            }
        }
        if let Some(label) = self.label {
            set("label", ItemValue::string(label));
        }
        set("created", ItemValue::string(&self.created.to_string()));
        item.json()
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

    /// Decodes an item in DynamoDB's JSON; returns `None` if its key is no digest.
    pub fn from_item(json: &str) -> Option<Self> {
        let item = ItemMembers::of_item(json)?;
        Some(Self {
            digest: item.parsed("digest")?,
            credential: Json::read(json, CredentialItem::read)?.credential(),
            label: item.string("label").map(Into::into),
            created: item.parsed("created"),
        })
    }
}

/// Returns the key of the credential with this text of a digest, in DynamoDB's JSON.
pub fn credential_key(digest: &str) -> String {
    key([("digest", digest)])
}
