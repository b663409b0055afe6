//! The types of traits and the operators that compare each of them, with their names in requests.

use crate::model::named;

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
    /// How a filter compares strings: by exact code points, case-sensitively.
    pub enum StringOperator, "must be eq, ne, contains or ncontains" {
        /// The trait is equal to the value.
        Eq = "eq",
        /// The trait is not equal to the value.
        Ne = "ne",
        /// The trait contains the value.
        Contains = "contains",
        /// The trait does not contain the value.
        Ncontains = "ncontains",
    }
}

named! {
    /// How a filter compares numbers: by value, exactly.
    pub enum NumberOperator, "must be eq, ne, gt, gte, lt or lte" {
        /// The trait is equal to the value.
        Eq = "eq",
        /// The trait is not equal to the value.
        Ne = "ne",
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

named! {
    /// How a filter compares booleans.
    pub enum BooleanOperator, "must be eq or ne" {
        /// The trait is equal to the value.
        Eq = "eq",
        /// The trait is not equal to the value.
        Ne = "ne",
    }
}
