//! Decodes credentials.

use std::borrow::Cow;

use super::json::{Json, Scalar};
use crate::{Account, Credential, CredentialKind};

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
