//! The items of credentials, in DynamoDB's JSON.

use std::collections::BTreeSet;
use std::str::FromStr;

use items::{Finding, check_size};
use model::{Invalid, Timestamp};
use serde::{Deserialize, Serialize};

use crate::credential::{Credential, Username};
use crate::secret::Digest;

/// A credential as it is stored: without the secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCredential {
    pub digest: Digest,
    pub credential: Credential,
    /// The label that it was created with.
    pub label: Option<String>,
    pub created: Option<Timestamp>,
}

/// The attributes, in the order of their names.
#[derive(Serialize, Deserialize)]
struct CredentialItem {
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<Attribute>,
    digest: Option<Attribute>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<Attribute>,
    may: Option<Attribute>,
    projects: Option<Attribute>,
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<Attribute>,
}

/// An attribute, which may have any type.
#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct Attribute {
    #[serde(rename = "S", skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(rename = "SS", skip_serializing_if = "Option::is_none")]
    set: Option<Vec<String>>,
    /// It counts as absent.
    #[serde(rename = "NULL", skip_serializing)]
    is_null: bool,
}

impl StoredCredential {
    /// Decodes the JSON of an item; returns `None` if it is damaged and authorizes nothing.
    pub fn decode(item: &str) -> Option<Self> {
        let item: CredentialItem = serde_json::from_str(item).ok()?;
        Some(Self {
            digest: item.digest()?,
            credential: item.credential()?,
            label: item.label.and_then(|label| label.text),
            created: parsed(item.created.as_ref()),
        })
    }

    pub fn item(&self) -> Result<String, Invalid> {
        let credential = &self.credential;
        let item = CredentialItem {
            created: self.created.as_ref().map(Attribute::string),
            digest: Some(Attribute::string(&self.digest)),
            label: self.label.as_ref().map(Attribute::string),
            may: Some(Attribute::set(credential.permissions())),
            projects: Some(Attribute::set(credential.projects())),
            username: credential
                .username()
                .map(|name| Attribute::string(&name.as_str())),
        };
        // Strings always serialize.
        let json = serde_json::to_string(&item).unwrap_or_default();
        check_size(&json)?;
        Ok(json)
    }
}

/// Decodes what an item authorizes; returns `None` if it is damaged.
pub(crate) fn authorized_by(item: &str) -> Option<Credential> {
    let item: CredentialItem = serde_json::from_str(item).ok()?;
    item.credential()
}

pub fn findings(item: &str) -> Vec<Finding> {
    const DIGEST: &str = "a key that is no digest: no secret matches it";
    const DAMAGED: &str = "no valid projects, may and username: authorizes nothing";

    let item: Option<CredentialItem> = serde_json::from_str(item).ok();
    let digest = item.as_ref().and_then(CredentialItem::digest);
    let credential = item.as_ref().and_then(CredentialItem::credential);
    Finding::all([(digest.is_none(), DIGEST), (credential.is_none(), DAMAGED)])
}

impl CredentialItem {
    fn digest(&self) -> Option<Digest> {
        parsed(self.digest.as_ref())
    }

    /// Returns the credential, unless an attribute is wrong: without a username that is no text, it would authorize
    /// more.
    fn credential(&self) -> Option<Credential> {
        let username: Option<Username> = match &self.username {
            None | Some(Attribute { is_null: true, .. }) => None,
            given => Some(parsed(given.as_ref())?),
        };
        Credential::new(
            all_parsed(self.projects.as_ref())?,
            all_parsed(self.may.as_ref())?,
            username,
        )
        .ok()
    }
}

impl Attribute {
    fn string(text: &impl ToString) -> Self {
        Self {
            text: Some(text.to_string()),
            ..Self::default()
        }
    }

    fn set(texts: &BTreeSet<impl ToString>) -> Self {
        Self {
            set: Some(texts.iter().map(ToString::to_string).collect()),
            ..Self::default()
        }
    }
}

fn parsed<T: FromStr>(attribute: Option<&Attribute>) -> Option<T> {
    attribute?.text.as_ref()?.parse().ok()
}

fn all_parsed<T: FromStr + Ord>(attribute: Option<&Attribute>) -> Option<BTreeSet<T>> {
    let texts = attribute?.set.as_ref()?;
    texts.iter().map(|text| text.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;

    #[test]
    fn a_credential_that_authorizes_less_than_it_seems_to_is_found() {
        let digest = "0123456789abcdef".repeat(4);
        let credential = json!({"digest": {"S": digest}, "projects": {"SS": ["acme"]}, "may": {"SS": ["users"]}});
        let cases = r#"
            {} =>
            {"may": {"SS": ["users", "statistics"]}, "username": {"S": "u"}, "label": {"N": "1"}} =>
            {"username": {"NULL": true}} =>
            {"digest": {"S": "UPPER-CASE"}} => a key that is no digest
            {"digest": {"S": "0123456789abcdef"}} => a key that is no digest
            {"projects": {"L": [{"S": "acme"}]}} => no valid projects
            {"projects": {"S": "acme"}} => no valid projects
            {"projects": {"SS": ["acme", "not a project"]}} => no valid projects
            {"projects": {"NULL": true}} => no valid projects
            {"projects": null} => no valid projects
            {"projects": null, "may": null, "project": {"S": "acme"}, "kind": {"S": "read-key"}} => no valid projects
            {"may": {"SS": ["users", "admin"]}} => no valid projects
            {"may": {"S": "users"}} => no valid projects
            {"may": {"L": [{"S": "users"}]}} => no valid projects
            {"may": {"NULL": true}} => no valid projects
            {"may": null} => no valid projects
            {"username": {"N": "1"}} => no valid projects
            {"username": {"S": "a:b"}} => no valid projects
            {"may": {"SS": ["statistics"]}, "username": {"S": "u"}} => no valid projects
        "#
        .replace("UPPER-CASE", &digest.to_uppercase());
        for line in cases.trim().lines().map(str::trim) {
            let (attributes, expected) = line.split_once(" =>").expect(line);
            let attributes: Map<String, Value> = serde_json::from_str(attributes).expect(line);
            let mut changed = credential.clone();
            let item = changed.as_object_mut().unwrap();
            item.extend(attributes);
            item.retain(|_, attribute| !attribute.is_null());
            let item = changed.to_string();
            let found = findings(&item);
            let texts: Vec<_> = found.iter().map(|Finding(text)| *text).collect();
            assert_eq!(texts.is_empty(), expected.is_empty(), "{line}");
            assert!(
                texts.concat().starts_with(expected.trim()),
                "{line}: {texts:?}"
            );
            let decoded = StoredCredential::decode(&item);
            assert_eq!(decoded.is_some(), expected.is_empty(), "{line}");
            let is_damaged = expected.contains("no valid projects");
            assert_eq!(authorized_by(&item).is_none(), is_damaged, "{line}");
        }
    }
}
