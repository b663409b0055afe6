//! Where the fields of a record are, if not under their own names.

use crate::rules::kind::RecordKind;

/// `--map FIELD=COLUMN`, or `--map FIELD=PATH` of JSON. `--map traits.NAME` is short for `traits.NAME=NAME`.
#[derive(Debug, Clone)]
pub struct Mapping {
    pub(crate) field: String,
    /// The column, or the path of the member.
    pub(crate) place: String,
}

impl Mapping {
    /// Returns whether it reads the member of this name, or something within it.
    pub(crate) fn reads(&self, member: &str) -> bool {
        let rest = self.place.strip_prefix(member);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

impl std::str::FromStr for Mapping {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let trait_of_its_name = text.strip_prefix(TRAITS).map(|name| (text, name));
        match text.split_once('=').or(trait_of_its_name) {
            Some((field, place)) if !field.is_empty() && !place.is_empty() => Ok(Self {
                field: field.to_owned(),
                place: place.to_owned(),
            }),
            _ => Err(
                "write it as FIELD=COLUMN, such as rating=\"Your score\", or for JSON as FIELD=PATH, such as \
                 rating=answers.<question id>; traits.NAME alone reads the column NAME",
            ),
        }
    }
}

/// What the names of fields begin with that are traits.
const TRAITS: &str = "traits.";

/// A field of a record, which a column or a path can be mapped to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Field {
    Member(&'static str),
    Trait(String),
}

impl Field {
    /// Returns the path of the member that holds it, unless it is mapped, in a record of which the members of
    /// the user are its own or within `user`.
    pub(crate) fn path(&self, kind: RecordKind, is_flat: bool) -> String {
        let user = if is_flat { "" } else { "user." };
        match self {
            Self::Member(member) if kind.is_in_user(member) => format!("{user}{member}"),
            Self::Member(member) => (*member).to_owned(),
            Self::Trait(name) => format!("{user}traits.{name}"),
        }
    }
}

/// Returns the field of this name.
pub(crate) fn field_of(kind: RecordKind, name: &str) -> Option<Field> {
    let mut members = kind.members().iter();
    if let Some(member) = members.find(|member| **member == name) {
        return Some(Field::Member(member));
    }
    let name = name.strip_prefix(TRAITS).filter(|name| !name.is_empty());
    Some(Field::Trait(name?.to_owned()))
}
