//! Types that are parsed: texts that fulfil a condition, enums whose variants are words, and why another text is none.

use std::str::FromStr;

/// Why a text is not a value of the requested type: the requirement, worded to follow the name of
/// the parameter ("must be …").
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Invalid(pub &'static str);

/// Parses a number that is written in digits alone. The standard library accepts a sign, too.
pub fn parse_digits<T: FromStr>(text: &str) -> Option<T> {
    let are_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    are_digits.then(|| text.parse().ok())?
}

/// Defines a type that holds a text which fulfils a condition. Parsing another one fails with the text in the first
/// line.
#[macro_export]
macro_rules! text_type {
    (
        $(#[$attribute:meta])*
        pub struct $type:ident, $expected:literal, $is_valid:expr
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
        pub struct $type(String);

        impl $type {
            pub fn is_valid(text: &str) -> bool {
                let is_valid: fn(&str) -> bool = $is_valid;
                is_valid(text)
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::Invalid;

            fn from_str(text: &str) -> Result<Self, $crate::Invalid> {
                if Self::is_valid(text) {
                    Ok(Self(text.to_owned()))
                } else {
                    Err($crate::Invalid($expected))
                }
            }
        }
    };
}

/// Defines an enum whose variants are words. Parsing fails with the text in the first line.
#[macro_export]
macro_rules! word_enum {
    (
        $(#[$attribute:meta])*
        pub enum $type:ident, $expected:literal {
            $($(#[$variant_attribute:meta])* $variant:ident = $name:literal,)+
        }
    ) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        $(#[$attribute])*
        pub enum $type {
            $($(#[$variant_attribute])* $variant,)+
        }

        impl $type {
            /// All variants, in the order of their definition.
            pub const ALL: &[Self] = &[$(Self::$variant),+];
            pub const NAMES: &[&str] = &[$($name),+];
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self {
                    $(Self::$variant => $name,)+
                })
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::Invalid;

            fn from_str(text: &str) -> Result<Self, $crate::Invalid> {
                match text {
                    $($name => Ok(Self::$variant),)+
                    _ => Err($crate::Invalid($expected)),
                }
            }
        }
    };
}
