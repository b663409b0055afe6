//! The members of a JSON object in their order, of which names may repeat.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::rules::reason::Reason;

/// The name of a member, and its value.
pub(crate) type Pair<'a> = (Cow<'a, str>, &'a RawValue);

/// The text of a JSON string. A lone surrogate, which has no UTF-8, makes it the text of escaped bytes.
#[derive(Default)]
pub(crate) struct JsonString<'a>(pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for JsonString<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl<'de> Visitor<'de> for Bytes {
            type Value = JsonString<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
                Ok(JsonString(text(bytes)))
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(JsonString(text(bytes).into_owned().into()))
            }
        }
        fn text(bytes: &[u8]) -> Cow<'_, str> {
            let text = str::from_utf8(bytes).map(Cow::Borrowed);
            text.unwrap_or_else(|_| bytes.escape_ascii().to_string().into())
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

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
