//! The items of credentials: read by requests, and created and listed by commands.

use std::borrow::Cow;

use model::{Account, Credential, CredentialKind, Digest, ProjectId, Secret, Timestamp};

use super::item_members::{ItemMembers, ItemValue};
use super::json::{Json, Scalar};

/// A stored credential, borrowed from its item. Attributes that are absent or damaged are `None`.
#[derive(Debug, Default)]
pub struct CredentialItem<'a> {
    kind: Option<Cow<'a, str>>,
    project: Option<Cow<'a, str>>,
    username: Option<Cow<'a, str>>,
    projects: Option<Vec<Cow<'a, str>>>,
    statistics: bool,
}

impl<'a> CredentialItem<'a> {
    /// Reads an item; returns `None` if the JSON is malformed.
    pub fn read(json: &mut Json<'a>) -> Option<Self> {
        let mut item = Self::default();
        json.object(|json, name| {
            match &*name {
                "kind" => item.kind = Scalar::read(json)?.string(),
                "project" => item.project = Scalar::read(json)?.string(),
                "username" => item.username = Scalar::read(json)?.string(),
                "projects" => json.typed(|json, kind| {
                    if kind != "SS" {
                        return json.skip_content(kind);
                    }
                    item.projects = Some(json.elements(Json::string)?);
                    Some(())
                })?,
                "statistics" => item.statistics = Scalar::read(json)? == Scalar::Bool(true),
                _ => json.skip_typed()?,
            }
            Some(())
        })?;
        Some(item)
    }

    /// Decodes the credential; returns `None` if it is damaged or of an unknown kind.
    pub fn credential(&self) -> Option<Credential> {
        match self.kind.as_ref()?.parse().ok()? {
            CredentialKind::ReadKey => {
                Some(Credential::ReadKey(self.project.as_ref()?.parse().ok()?))
            }
            CredentialKind::Account => Some(Credential::Account(Account {
                username: self.username.clone()?.into_owned(),
                projects: self
                    .projects
                    .as_ref()?
                    .iter()
                    .map(|project| project.parse().ok())
                    .collect::<Option<_>>()?,
                statistics: self.statistics,
            })),
        }
    }
}

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
