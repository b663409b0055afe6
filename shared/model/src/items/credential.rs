//! Decodes credentials.

use std::borrow::Cow;

use super::json::Json;
use super::scalar::Scalar;
use crate::{Account, Credential, CredentialKind};

/// A stored credential, borrowed from its item. Attributes that are absent or damaged are `None`.
#[derive(Debug, Default)]
pub struct CredentialRow<'a> {
    kind: Option<Cow<'a, str>>,
    project: Option<Cow<'a, str>>,
    username: Option<Cow<'a, str>>,
    projects: Option<Vec<Cow<'a, str>>>,
    statistics: bool,
}

impl<'a> CredentialRow<'a> {
    /// Reads an item; returns `None` if the JSON is malformed.
    pub fn read(json: &mut Json<'a>) -> Option<Self> {
        let mut row = Self::default();
        json.object(|json, name| {
            match &*name {
                "kind" => row.kind = Scalar::read(json)?.string(),
                "project" => row.project = Scalar::read(json)?.string(),
                "username" => row.username = Scalar::read(json)?.string(),
                "projects" => json.typed(|json, kind| {
                    if kind != "SS" {
                        return json.skip_content(kind);
                    }
                    row.projects = Some(json.elements(Json::string)?);
                    Some(())
                })?,
                "statistics" => row.statistics = Scalar::read(json)? == Scalar::Bool(true),
                _ => json.skip_typed()?,
            }
            Some(())
        })?;
        Some(row)
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
