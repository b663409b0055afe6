//! Enums whose variants are words.

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
