//! The traits that name people.

/// The names of the traits by which records are not grouped, because their values name people (contract,
/// section 4). It is a list of names and promises no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateTraits(Vec<String>);

impl PrivateTraits {
    /// The names where no others are set.
    pub const DEFAULT: &str = "email,name,firstName,lastName,fullName,username,phone";

    /// Returns whether the trait is one of them. ASCII case does not count.
    pub fn contains(&self, name: &str) -> bool {
        let mut names = self.0.iter();
        names.any(|private| private.eq_ignore_ascii_case(name))
    }
}

/// Takes names that commas separate. Without a name there is none.
impl From<&str> for PrivateTraits {
    fn from(text: &str) -> Self {
        let names = text.split(',').map(str::trim);
        let names = names.filter(|name| !name.is_empty());
        Self(names.map(str::to_owned).collect())
    }
}

impl Default for PrivateTraits {
    fn default() -> Self {
        Self::DEFAULT.into()
    }
}
