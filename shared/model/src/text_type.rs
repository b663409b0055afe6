//! Texts that have been checked.

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
