//! DynamoDB's typed JSON as the JSON of the contract, section 3, without anything in between.

use std::fmt;
use std::ops::Range;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::Text;

/// Appends a typed value as plain JSON. `false` when it is of no type that there is: what was
/// appended then has no meaning.
pub(in crate::store) struct Transcode<'a>(pub(in crate::store) &'a mut Vec<u8>);

/// Appends a string as JSON. One that is borrowed had no escapes and needs none.
pub(in crate::store) fn quote(text: &Text<'_>, out: &mut Vec<u8>) {
    if let Text(std::borrow::Cow::Borrowed(text)) = text {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        // Writing to memory cannot fail.
        serde_json::to_writer(out, &**text).unwrap_or_default();
    }
}

impl<'de> DeserializeSeed<'de> for Transcode<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Transcode<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a typed value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<bool, A::Error> {
        let mut valid = false;
        while let Some(kind) = members.next_key::<Text<'de>>()? {
            valid = match &*kind {
                // Binary values are base64 already.
                "S" | "B" => {
                    quote(&members.next_value()?, self.0);
                    true
                }
                "N" => number(&members.next_value()?, self.0),
                "BOOL" => {
                    let flag: bool = members.next_value()?;
                    self.0
                        .extend_from_slice(if flag { b"true" } else { b"false" });
                    true
                }
                "NULL" => {
                    members.next_value::<IgnoredAny>()?;
                    self.0.extend_from_slice(b"null");
                    true
                }
                "M" => members.next_value_seed(Members(self.0))?,
                "L" => members.next_value_seed(List(self.0, Element::Typed))?,
                "SS" | "BS" => members.next_value_seed(List(self.0, Element::String))?,
                "NS" => members.next_value_seed(List(self.0, Element::Number))?,
                _ => {
                    members.next_value::<IgnoredAny>()?;
                    false
                }
            };
        }
        Ok(valid)
    }
}

/// DynamoDB's decimal text as it is: a double would lose digits beyond the sixteenth.
fn number(digits: &Text<'_>, out: &mut Vec<u8>) -> bool {
    out.extend_from_slice(digits.as_bytes());
    digits.starts_with(|first: char| first == '-' || first.is_ascii_digit())
        && serde_json::from_str::<&RawValue>(digits).is_ok()
}

/// What a list holds: typed values, or the plain ones of a set.
#[derive(Clone, Copy)]
enum Element {
    Typed,
    String,
    Number,
}

struct List<'a>(&'a mut Vec<u8>, Element);

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<bool, A::Error> {
        let Self(out, element) = self;
        let mut all_valid = true;
        out.push(b'[');
        let start = out.len();
        loop {
            let before = out.len();
            if before > start {
                out.push(b',');
            }
            let valid = match element {
                Element::Typed => elements.next_element_seed(Transcode(out))?,
                Element::String => elements.next_element()?.map(|text| {
                    quote(&text, out);
                    true
                }),
                Element::Number => elements.next_element()?.map(|digits| number(&digits, out)),
            };
            let Some(valid) = valid else {
                out.truncate(before);
                break;
            };
            all_valid &= valid;
        }
        out.push(b']');
        Ok(all_valid)
    }
}

/// The members of a map, sorted by name: DynamoDB keeps no order, and equal users make equal
/// answers.
struct Members<'a>(&'a mut Vec<u8>);

impl<'de> DeserializeSeed<'de> for Members<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Members<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<bool, A::Error> {
        let out = self.0;
        let mut all_valid = true;
        let mut places: Vec<(Text<'de>, Range<usize>)> = Vec::new();
        out.push(b'{');
        let start = out.len();
        while let Some(name) = members.next_key::<Text<'de>>()? {
            let begin = out.len();
            quote(&name, out);
            out.push(b':');
            all_valid &= members.next_value_seed(Transcode(out))?;
            out.push(b',');
            places.push((name, begin..out.len()));
        }
        if !places.is_sorted_by(|(one, _), (other, _)| **one <= **other) {
            places.sort_by(|(one, _), (other, _)| one.cmp(other));
            let written = out.split_off(start);
            for (_, place) in places {
                let place = place.start - start..place.end - start;
                out.extend_from_slice(written.get(place).unwrap_or_default());
            }
        }
        match out.get_mut(start..).and_then(<[u8]>::last_mut) {
            Some(last_comma) => *last_comma = b'}',
            None => out.push(b'}'),
        }
        Ok(all_valid)
    }
}
