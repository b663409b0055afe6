//! The terms of the service, as types that cannot hold a wrong value. Nothing here performs I/O.

mod calendar;
mod credential;
mod decimal;
mod filter;
mod ids;
mod rating;
mod segments;
mod text;
mod time;

pub use calendar::{Unit, WeekStart};
pub use credential::{Credential, Digest, Permission, Secret, Username};
pub use decimal::Decimal;
pub use filter::{
    FoundTrait, InvalidFilter, Operator, TraitCondition, TraitFilter, TraitFilters, TraitName,
    TraitType, TraitValue, ValueType,
};
pub use ids::{ProjectId, UserId, content_id, derived_record_id};
pub use rating::{Confidence, Outcome, Rating, Respondents};
pub use segments::{GroupBy, GroupKind, GroupValue, PrivateTraits, Segments};
pub use text::{is_control, is_invisible};
pub use time::{Period, Timestamp, Zone};

/// Why a text is not a value of the requested type: the requirement, worded to follow the name of
/// the parameter ("must be …").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invalid(pub &'static str);

impl std::fmt::Display for Invalid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Invalid {}

/// Defines an enum whose variants have names. Parsing fails with the text in the first line.
macro_rules! named {
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
            /// Their names.
            pub const NAMES: &[&str] = &[$($name),+];
        }

        impl std::fmt::Display for $type {
            /// Writes the name.
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

pub(crate) use named;
