//! The members of a JSON object in their order, of which names may repeat.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::rules::reason::Reason;

/// The name of a member, and its value.
pub(crate) type Pair<'a> = (Cow<'a, str>, &'a RawValue);

/// The text of a JSON string.
#[derive(Deserialize)]
pub(crate) struct JsonString<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// Returns the names and values of an object, of which names may repeat. `Err` is the reason why it cannot be
/// parsed.
pub(crate) fn pairs(json: &str) -> Result<Vec<Pair<'_>>, Reason> {
    if !json.starts_with('{') {
        return Err("it is not a JSON object".to_owned());
    }
    let pairs = serde_json::from_str(json).map(|MemberPairs(pairs)| pairs);
    pairs.map_err(|error| {
        // The position within the line is of little use.
        let text = error.to_string();
        let text = text.split(" at line ").next().unwrap_or_default();
        format!("it is not a record: {text}")
    })
}

struct MemberPairs<'a>(Vec<Pair<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for MemberPairs<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor;
        impl<'de> Visitor<'de> for PairsVisitor {
            type Value = MemberPairs<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<MemberPairs<'de>, A::Error> {
                let mut pairs = Vec::with_capacity(8);
                while let Some((JsonString(name), value)) = map.next_entry()? {
                    pairs.push((name, value));
                }
                Ok(MemberPairs(pairs))
            }
        }
        deserializer.deserialize_map(PairsVisitor)
    }
}
