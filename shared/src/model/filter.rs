//! Filters on the traits of response records (contract, section 4).

use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use super::Invalid;

/// The name of a trait: 1–255 bytes of UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TraitName(String);

impl TraitName {
    /// Returns the name as it appears in the `traits` of records.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TraitName {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        if (1..=255).contains(&text.len()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Invalid("must name a trait in 1 to 255 bytes"))
        }
    }
}

/// How a filter compares: by exact code points, case-sensitively.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// The trait is equal to the value.
    Eq,
    /// The trait is not equal to the value.
    Ne,
    /// The trait contains the value.
    Contains,
    /// The trait does not contain the value.
    Ncontains,
}

impl Operator {
    /// Returns the operator's name in a request.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Eq => "eq",
            Self::Ne => "ne",
            Self::Contains => "contains",
            Self::Ncontains => "ncontains",
        }
    }
}

impl FromStr for Operator {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        [Self::Eq, Self::Ne, Self::Contains, Self::Ncontains]
            .into_iter()
            .find(|operator| operator.as_str() == text)
            .ok_or(Invalid("must be eq, ne, contains or ncontains"))
    }
}

/// A condition on one string trait of a response record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraitFilter {
    /// The trait that is compared.
    pub name: TraitName,
    /// How it is compared.
    pub operator: Operator,
    /// What it is compared with.
    pub value: String,
}

impl TraitFilter {
    /// Returns whether a record with this trait passes. `None` stands for a trait that is absent
    /// or not a string: it is equal to nothing and contains nothing.
    pub fn matches(&self, found: Option<&str>) -> bool {
        let holds =
            |test: fn(&str, &str) -> bool| found.is_some_and(|text| test(text, &self.value));
        match self.operator {
            Operator::Eq => holds(|text, value| text == value),
            Operator::Ne => !holds(|text, value| text == value),
            Operator::Contains => holds(|text, value| text.contains(value)),
            Operator::Ncontains => !holds(|text, value| text.contains(value)),
        }
    }
}

/// The filters of a request, all of which must hold: at most [`TraitFilters::MAX`]. Cloning them
/// is cheap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TraitFilters(Arc<[TraitFilter]>);

impl TraitFilters {
    /// The largest number of filters in a request.
    pub const MAX: usize = 20;
}

impl TryFrom<Vec<TraitFilter>> for TraitFilters {
    type Error = Invalid;

    fn try_from(filters: Vec<TraitFilter>) -> Result<Self, Invalid> {
        if filters.len() <= Self::MAX {
            Ok(Self(filters.into()))
        } else {
            Err(Invalid("must not be more than 20"))
        }
    }
}

impl Deref for TraitFilters {
    type Target = [TraitFilter];

    fn deref(&self) -> &[TraitFilter] {
        &self.0
    }
}
