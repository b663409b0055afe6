//! The types of traits and the operators that compare each of them, with their names in requests.

use std::cmp::Ordering;

use crate::invalid::Invalid;
use crate::named::named;

named! {
    /// The type that a trait must have to be equal to anything.
    pub enum TraitType, "must be string, number or boolean" {
        /// A string.
        String = "string",
        /// A number.
        Number = "number",
        /// A boolean.
        Boolean = "boolean",
    }
}

named! {
    /// The type of a stored trait.
    pub enum ValueType, "must be string, number, boolean or other" {
        /// A string.
        String = "string",
        /// A number.
        Number = "number",
        /// A boolean.
        Boolean = "boolean",
        /// Any other type, which nothing compares.
        Other = "other",
    }
}

named! {
    /// How a filter compares a trait: strings by exact code points, numbers by value.
    pub enum Operator, "must be eq, ne, contains, ncontains, gt, gte, lt or lte" {
        /// The trait is equal to the value.
        Eq = "eq",
        /// The trait is not equal to the value.
        Ne = "ne",
        /// The trait contains the value.
        Contains = "contains",
        /// The trait does not contain the value.
        Ncontains = "ncontains",
        /// The trait is greater than the value.
        Gt = "gt",
        /// The trait is greater than the value, or equal to it.
        Gte = "gte",
        /// The trait is less than the value.
        Lt = "lt",
        /// The trait is less than the value, or equal to it.
        Lte = "lte",
    }
}

impl Operator {
    /// Parses an operator of this type.
    pub fn parse(kind: TraitType, text: &str) -> Result<Self, Invalid> {
        use Operator::{Contains, Eq, Gt, Gte, Lt, Lte, Ncontains, Ne};
        let (operators, expected): (&[_], _) = match kind {
            TraitType::String => (
                &[Eq, Ne, Contains, Ncontains],
                "must be eq, ne, contains or ncontains",
            ),
            TraitType::Number => (
                &[Eq, Ne, Gt, Gte, Lt, Lte],
                "must be eq, ne, gt, gte, lt or lte",
            ),
            TraitType::Boolean => (&[Eq, Ne], "must be eq or ne"),
        };
        let operator = text.parse().ok();
        let operator = operator.filter(|operator| operators.contains(operator));
        operator.ok_or(Invalid(expected))
    }

    /// Returns whether a trait passes that compares so with the value. `None` stands for an absent trait. The
    /// trait does not contain the value.
    pub(crate) fn holds(self, order: Option<Ordering>) -> bool {
        match self {
            Self::Eq => order == Some(Ordering::Equal),
            Self::Ne => order != Some(Ordering::Equal),
            Self::Gt => order.is_some_and(Ordering::is_gt),
            Self::Gte => order.is_some_and(Ordering::is_ge),
            Self::Lt => order.is_some_and(Ordering::is_lt),
            Self::Lte => order.is_some_and(Ordering::is_le),
            Self::Contains => false,
            Self::Ncontains => true,
        }
    }
}
