//! DynamoDB's typed values, `{"S":"…"}`, borrowed from the page.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};

/// A string, borrowed unless it has escapes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct Text<'a>(pub(in crate::store) Cow<'a, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Borrow;
        impl<'de> Visitor<'de> for Borrow {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Borrow)
    }
}

/// A value of a scalar type, or of any other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) enum Value<'a> {
    String(Text<'a>),
    Number(Text<'a>),
    Bool(bool),
    Null,
    Other,
}

impl<'a> Value<'a> {
    pub(in crate::store) fn string(self) -> Option<Text<'a>> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Value<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Typed;
        impl<'de> Visitor<'de> for Typed {
            type Value = Value<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a typed value")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value<'de>, A::Error> {
                let mut value = Value::Other;
                while let Some(kind) = members.next_key::<Text<'de>>()? {
                    value = match &*kind {
                        "S" => Value::String(members.next_value()?),
                        "N" => Value::Number(members.next_value()?),
                        "BOOL" => Value::Bool(members.next_value()?),
                        "NULL" => {
                            members.next_value::<IgnoredAny>()?;
                            Value::Null
                        }
                        _ => {
                            members.next_value::<IgnoredAny>()?;
                            Value::Other
                        }
                    };
                }
                Ok(value)
            }
        }
        deserializer.deserialize_map(Typed)
    }
}
