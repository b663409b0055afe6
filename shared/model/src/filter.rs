//! Filters on the traits of response records (contract, section 4): what they require, and their text
//! `NAME=[TYPE.]OPERATOR:VALUE`.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use crate::decimal::Decimal;
use crate::{Invalid, named};

/// The filters of a request, all of which must hold: at most [`TraitFilters::MAX`], several of which may
/// be of one trait and type. They are sorted by name, type, operator and value, so that the same filters
/// are equal. Cloning them is cheap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TraitFilters(Arc<[TraitFilter]>);

impl TraitFilters {
    /// The largest number of filters in a request.
    pub const MAX: usize = 20;
}

impl TryFrom<Vec<TraitFilter>> for TraitFilters {
    type Error = Invalid;

    fn try_from(mut filters: Vec<TraitFilter>) -> Result<Self, Invalid> {
        if filters.len() > Self::MAX {
            return Err(Invalid("must not be more than 20"));
        }
        filters.sort_by_cached_key(|filter| (filter.name.clone(), filter.condition.texts()));
        Ok(Self(filters.into()))
    }
}

impl Deref for TraitFilters {
    type Target = [TraitFilter];

    fn deref(&self) -> &[TraitFilter] {
        &self.0
    }
}

/// A filter: what is required of a trait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraitFilter {
    /// The name of the trait.
    pub name: TraitName,
    /// What is required of it.
    pub condition: TraitCondition,
}

/// The name of a trait: 1–255 bytes of UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TraitName(String);

impl TraitName {
    /// Returns whether the text is a name.
    pub fn is_valid(text: &str) -> bool {
        (1..=255).contains(&text.len())
    }

    /// Returns the name as it appears in the `traits` of records.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TraitName {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        if Self::is_valid(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Invalid("must name a trait in 1 to 255 bytes"))
        }
    }
}

/// What a filter requires of a trait: its type, which is that of the value, and how it compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraitCondition {
    /// How the trait is compared. The type has this operator.
    pub operator: Operator,
    /// What it is compared with.
    pub value: TraitValue,
}

impl TraitCondition {
    /// Returns whether a record passes whose trait is absent or of another type: it is equal to nothing,
    /// contains nothing, and is neither greater nor less.
    pub fn matches_absent(&self) -> bool {
        self.operator.holds(None)
    }

    /// Returns operator and value; unless the type is a string, it precedes the operator. Equal values
    /// have equal texts.
    pub fn words(&self) -> (String, String) {
        let (kind, operator, value) = self.texts();
        match kind {
            TraitType::String => (operator, value),
            TraitType::Number | TraitType::Boolean => (format!("{kind}.{operator}"), value),
        }
    }

    /// Returns type, operator and value. Equal values have equal texts.
    pub fn texts(&self) -> (TraitType, String, String) {
        let kind = match self.value {
            TraitValue::String(_) => TraitType::String,
            TraitValue::Number(_) => TraitType::Number,
            TraitValue::Boolean(_) => TraitType::Boolean,
        };
        (kind, self.operator.to_string(), self.value.to_string())
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
        text.parse()
            .ok()
            .filter(|operator| operators.contains(operator))
            .ok_or(Invalid(expected))
    }

    /// Returns whether a trait passes that compares so with the value. `None` stands for an absent trait. The
    /// trait does not contain the value.
    pub fn holds(self, order: Option<Ordering>) -> bool {
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

/// What a filter compares a trait with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TraitValue {
    /// A string of 0–1024 bytes.
    String(String),
    /// A number.
    Number(Decimal),
    /// A boolean.
    Boolean(bool),
}

impl TraitValue {
    /// Parses a value of this type.
    pub fn parse(kind: TraitType, text: &str) -> Result<Self, Invalid> {
        match kind {
            TraitType::String if text.len() > 1024 => Err(Invalid("must be at most 1024 bytes")),
            TraitType::String => Ok(Self::String(text.to_owned())),
            TraitType::Number => text.parse().map(Self::Number),
            TraitType::Boolean => match text.parse() {
                Ok(flag) => Ok(Self::Boolean(flag)),
                Err(_) => Err(Invalid("must be true or false")),
            },
        }
    }
}

/// Writes the value. Equal values have equal texts.
impl fmt::Display for TraitValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String(text) => f.write_str(text),
            Self::Number(number) => number.fmt(f),
            Self::Boolean(flag) => flag.fmt(f),
        }
    }
}

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

/// Parses what [`TraitFilter`] displays. The name ends at the first `=`, and the operator at the first
/// `:` after it; an operator without a type is one on strings.
impl FromStr for TraitFilter {
    type Err = InvalidFilter;

    fn from_str(text: &str) -> Result<Self, InvalidFilter> {
        let (name, condition) = text.split_once('=').ok_or(InvalidFilter::Form)?;
        let (operator, value) = condition.split_once(':').ok_or(InvalidFilter::Form)?;
        let of_name = |expected: Invalid| InvalidFilter::Part(expected.to_string());
        Ok(Self {
            name: name.parse().map_err(of_name)?,
            condition: parse_condition(operator, value)?,
        })
    }
}

fn parse_condition(operator: &str, value: &str) -> Result<TraitCondition, InvalidFilter> {
    let (kind, operator) = match operator.split_once('.') {
        Some((kind, operator)) => {
            let of_type = part("must have as the type before the operator");
            (kind.parse().map_err(of_type)?, operator)
        }
        None => (TraitType::String, operator),
    };
    Ok(TraitCondition {
        operator: parse_operator(kind, operator)?,
        value: TraitValue::parse(kind, value).map_err(part("must have a value that is"))?,
    })
}

fn parse_operator(kind: TraitType, text: &str) -> Result<Operator, InvalidFilter> {
    Operator::parse(kind, text).map_err(|expected| {
        let refusal = part(&format!("must have as the operator of a {kind}"))(expected);
        match Operator::parse(TraitType::Number, text) {
            // The operator is one of numbers, and lacks the type before it.
            Ok(_) if kind == TraitType::String => {
                InvalidFilter::Part(format!("{refusal} (of a number, number.{text})"))
            }
            _ => refusal,
        }
    })
}

/// Writes the filter in its canonical form: equal filters have equal texts.
impl fmt::Display for TraitFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (operator, value) = self.condition.words();
        write!(f, "{}={operator}:{value}", self.name.as_str())
    }
}

/// Why a text is no filter. It is displayed as the requirement, as [`Invalid`] is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidFilter {
    /// It has no `=`, or no `:` after it.
    Form,
    /// A part of it is not as this requires.
    Part(String),
}

/// Returns a function that makes the error of a part: `beginning`, and then what the part must be.
fn part(beginning: &str) -> impl Fn(Invalid) -> InvalidFilter {
    move |Invalid(expected)| {
        let what = expected.strip_prefix("must be ").unwrap_or(expected);
        InvalidFilter::Part(format!("{beginning} {what}"))
    }
}

impl fmt::Display for InvalidFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Form => {
                "must be NAME=OPERATOR:VALUE, such as plan=eq:pro, seats=number.gte:4 \
                 or beta=boolean.eq:true"
            }
            Self::Part(expected) => expected,
        })
    }
}

impl std::error::Error for InvalidFilter {}
