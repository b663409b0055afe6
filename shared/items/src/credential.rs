//! The items of credentials.

use model::{Credential, Digest, Invalid, ProjectId, Timestamp, Username};

use super::item_members::{ItemMembers, ItemValue};
use super::json::Scalar;
use super::size::check_size;

/// A credential as it is stored: without the secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCredential {
    /// The digest of the secret.
    pub digest: Digest,
    /// What the secret authorizes.
    pub credential: Credential,
    /// The label that it was created with.
    pub label: Option<String>,
    /// When it was created.
    pub created: Option<Timestamp>,
}

impl StoredCredential {
    /// Decodes an item; returns `None` if it is damaged and authorizes nothing.
    pub fn from_item(item: &ItemMembers<'_>) -> Option<Self> {
        Some(Self {
            digest: item.parsed("digest")?,
            credential: decode_credential(item)?,
            label: item.string("label").map(Into::into),
            created: item.parsed("created"),
        })
    }

    /// Encodes the item, in DynamoDB's JSON. Fails if it would be too large.
    pub fn item(&self) -> Result<String, Invalid> {
        let mut item = ItemMembers::default();
        let mut set = |name: &'static str, value| drop(item.set(name.into(), value));
        let may = self.credential.permissions().iter();
        let may: Vec<_> = may.map(ToString::to_string).collect();
        let username = self.credential.username().map(Username::as_str);
        let created = self.created.map(|created| created.to_string());
        set("digest", Some(ItemValue::string(&self.digest.to_string())));
        set("projects", Some(project_set(&self.credential)));
        set(
            "may",
            Some(ItemValue::strings(may.iter().map(String::as_str))),
        );
        set("username", username.map(ItemValue::string));
        set("label", self.label.as_deref().map(ItemValue::string));
        set("created", created.as_deref().map(ItemValue::string));
        let json = item.json();
        check_size(&json)?;
        Ok(json)
    }
}

/// Returns the attribute that has the projects of a credential.
pub fn project_set(credential: &Credential) -> ItemValue<'static> {
    ItemValue::strings(credential.projects().iter().map(ProjectId::as_str))
}

/// Decodes what an item authorizes; returns `None` if it is damaged. One wrong attribute is enough: without a
/// username that is no text, the credential would authorize more.
pub fn decode_credential(item: &ItemMembers<'_>) -> Option<Credential> {
    let username = match item.scalar("username") {
        Scalar::Null => None,
        Scalar::String(text) => Some(text.parse().ok()?),
        _ => return None,
    };
    let texts = |name| item.get(name)?.texts();
    let projects = texts("projects")?
        .iter()
        .map(|text| text.parse().ok())
        .collect::<Option<_>>()?;
    let may = texts("may")?
        .iter()
        .map(|text| text.parse().ok())
        .collect::<Option<_>>()?;
    Credential::new(projects, may, username).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_credential_is_read_as_it_was_written() {
        let of = |projects: &[&str], may: &[&str], username: Option<&str>| {
            let projects = projects.iter().map(|text| text.parse().unwrap());
            let may = may.iter().map(|text| text.parse().unwrap());
            let username = username.map(|text| text.parse().unwrap());
            Credential::new(projects.collect(), may.collect(), username).unwrap()
        };
        let whole = StoredCredential {
            digest: Digest::ABSENT,
            credential: of(&["b", "a"], &["statistics", "users"], Some("\"é\"")),
            label: Some("a\nb".to_owned()),
            created: Some(Timestamp::EPOCH),
        };
        let least = StoredCredential {
            credential: of(&["a"], &["statistics"], None),
            label: None,
            created: None,
            ..whole.clone()
        };
        for stored in [&whole, &least] {
            let json = stored.item().unwrap();
            let item = ItemMembers::of_item(&json).unwrap();
            assert_eq!(StoredCredential::from_item(&item).as_ref(), Some(stored));
        }
        let too_large = StoredCredential {
            label: Some("x".repeat(399 * 1024)),
            ..least
        };
        assert!(too_large.item().is_err());
    }
}
