//! Projects items: attributes, and members of attributes that are maps.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The attributes that a response shows, by name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Projection(BTreeMap<String, Part>);

/// What is shown of an attribute.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    Whole,
    /// These members of a map.
    Members(BTreeSet<String>),
}

/// What is there of an attribute.
#[derive(Serialize)]
#[serde(untagged)]
enum Projected<'a> {
    Whole(&'a RawValue),
    Members(Map<'a>),
}

#[derive(Deserialize, Serialize)]
struct Map<'a> {
    #[serde(rename = "M", borrow)]
    members: HashMap<Cow<'a, str>, &'a RawValue>,
}

impl Projection {
    /// Adds a path. Returns `None` if it overlaps with another one, or is longer than a member of an
    /// attribute.
    pub(super) fn add(&mut self, path: Vec<String>) -> Option<()> {
        let mut path = path.into_iter();
        let attribute = path.next()?;
        match (path.next(), path.next(), self.0.get_mut(&attribute)) {
            (None, None, None) => self.0.insert(attribute, Part::Whole).is_none(),
            (Some(member), None, None) => {
                let members = BTreeSet::from([member]);
                self.0.insert(attribute, Part::Members(members)).is_none()
            }
            (Some(member), None, Some(Part::Members(members))) => members.insert(member),
            _ => false,
        }
        .then_some(())
    }

    /// Returns the part of an item that is shown, or `None` if it is not the JSON of an item.
    pub(super) fn apply(&self, item: &[u8]) -> Option<Vec<u8>> {
        let item: HashMap<Cow<'_, str>, &RawValue> = serde_json::from_slice(item).ok()?;
        let shown = self.0.iter().filter_map(|(name, part)| {
            let value = *item.get(name.as_str())?;
            Some((name, part.of(value)?))
        });
        serde_json::to_vec(&shown.collect::<BTreeMap<_, _>>()).ok()
    }
}

impl Part {
    /// Returns this part of an attribute, if the attribute has it.
    fn of<'a>(&self, attribute: &'a RawValue) -> Option<Projected<'a>> {
        let Self::Members(names) = self else {
            return Some(Projected::Whole(attribute));
        };
        // An attribute that is no map has no members.
        let mut map: Map<'_> = serde_json::from_str(attribute.get()).ok()?;
        map.members.retain(|name, _| names.contains(&**name));
        (!map.members.is_empty()).then_some(Projected::Members(map))
    }
}
