//! Filters on the traits of response records (contract, section 4): what they require, and their text
//! `NAME=[TYPE.]OPERATOR:VALUE`.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use crate::decimal::Decimal;
use crate::parsed::Invalid;

/// The filters of a request, all of which must hold: at most [`TraitFilters::MAX`], several of which may
/// be of one trait and type. They are sorted by name, type, operator and value, so that the same filters
/// are equal. Cloning them is cheap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TraitFilters(Arc<[TraitFilter]>);

impl TraitFilters {
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
    pub name: TraitName,
    pub condition: TraitCondition,
}

text_type! {
    /// The name of a trait: 1–255 bytes of UTF-8.
    pub struct TraitName, "must name a trait in 1 to 255 bytes", |text| (1..=255).contains(&text.len())
}

/// What a filter requires of a trait: its type, which is that of the value, and how it compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraitCondition {
    /// How the trait is compared. The type has this operator.
    pub operator: Operator,
    pub value: TraitValue,
}

impl TraitCondition {
    /// Returns whether a record passes that has this trait. To a condition of another type, a trait is as good as
    /// absent: it is equal to nothing, contains nothing, is neither greater nor less, and is none of any list.
    #[inline]
    pub fn holds(&self, found: Option<FoundTrait<'_>>) -> bool {
        let is = |test: fn(Ordering) -> bool| {
            let order = found.and_then(|found| self.value.order(found));
            order.is_some_and(test)
        };
        match self.operator {
            Operator::Eq => is(Ordering::is_eq),
            Operator::Ne => !is(Ordering::is_eq),
            Operator::Contains => self.value.is_within(found),
            Operator::Ncontains => !self.value.is_within(found),
            Operator::In => self.value.lists(found),
            Operator::Nin => !self.value.lists(found),
            Operator::Gt => is(Ordering::is_gt),
            Operator::Gte => is(Ordering::is_ge),
            Operator::Lt => is(Ordering::is_lt),
            Operator::Lte => is(Ordering::is_le),
        }
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
        let kind = self.value.kind();
        (kind, self.operator.to_string(), self.value.to_string())
    }
}

word_enum! {
    /// How a filter compares a trait: strings by exact code points, numbers by value.
    pub enum Operator, "must be an operator" {
        Eq = "eq",
        Ne = "ne",
        Contains = "contains",
        Ncontains = "ncontains",
        In = "in",
        Nin = "nin",
        Gt = "gt",
        Gte = "gte",
        Lt = "lt",
        Lte = "lte",
    }
}

impl Operator {
    pub fn types(self) -> &'static [TraitType] {
        match self {
            Self::Eq | Self::Ne => TraitType::ALL,
            Self::Contains | Self::Ncontains | Self::In | Self::Nin => &[TraitType::String],
            Self::Gt | Self::Gte | Self::Lt | Self::Lte => &[TraitType::Number],
        }
    }

    /// Returns whether it compares with several values.
    pub fn takes_list(self) -> bool {
        matches!(self, Self::In | Self::Nin)
    }

    /// Lists the operators of a type for a sentence, such as `eq, ne or gt`.
    pub fn listed(kind: TraitType) -> String {
        let all = Self::ALL.iter();
        let of_type = all.filter(|operator| operator.types().contains(&kind));
        let names: Vec<_> = of_type.map(Self::to_string).collect();
        match names.as_slice() {
            [others @ .., last] => format!("{} or {last}", others.join(", ")),
            [] => String::new(),
        }
    }

    /// Describes in a sentence how filters of each type are written.
    pub fn described() -> String {
        let [string, number, boolean] =
            [TraitType::String, TraitType::Number, TraitType::Boolean].map(Self::listed);
        format!(
            "NAME=OPERATOR:VALUE for a string ({string}; in and nin take values that commas separate), \
             NAME=number.OPERATOR:VALUE for a number ({number}), or NAME=boolean.OPERATOR:VALUE for a boolean ({boolean})"
        )
    }

    /// Parses an operator of this type. An error is the requirement, as an [`Invalid`] is.
    pub fn parse(kind: TraitType, text: &str) -> Result<Self, String> {
        let operator: Option<Self> = text.parse().ok();
        operator
            .filter(|operator| operator.types().contains(&kind))
            .ok_or_else(|| format!("must be {}", Self::listed(kind)))
    }
}

/// A trait that a record has.
#[derive(Debug, Clone, Copy)]
pub enum FoundTrait<'a> {
    String(&'a str),
    /// The digits of a number. Digits that are no number are as good as absent.
    Number(&'a str),
    Boolean(bool),
}

/// What a filter compares a trait with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TraitValue {
    /// A string of 0–1024 bytes.
    String(String),
    /// Strings of 0–1024 bytes, without commas: 1 to [`TraitValue::MOST_LISTED`].
    Strings(BTreeSet<String>),
    Number(Decimal),
    Boolean(bool),
}

impl TraitValue {
    pub const MOST_LISTED: usize = 100;

    /// Parses a value of this type, or for an operator on lists, strings that commas separate.
    pub fn parse(kind: TraitType, operator: Option<Operator>, text: &str) -> Result<Self, Invalid> {
        let is_list = operator.is_some_and(Operator::takes_list);
        let is_long = |text: &str| text.len() > 1024;
        match kind {
            TraitType::String if is_list && text.split(',').any(is_long) => {
                Err(Invalid("must be values of at most 1024 bytes each"))
            }
            TraitType::String if is_list && text.split(',').count() > Self::MOST_LISTED => {
                Err(Invalid("must be at most 100 values"))
            }
            TraitType::String if is_list => {
                Ok(Self::Strings(text.split(',').map(str::to_owned).collect()))
            }
            TraitType::String if is_long(text) => Err(Invalid("must be at most 1024 bytes")),
            TraitType::String => Ok(Self::String(text.to_owned())),
            TraitType::Number => text.parse().map(Self::Number),
            TraitType::Boolean => match text.parse() {
                Ok(flag) => Ok(Self::Boolean(flag)),
                Err(_) => Err(Invalid("must be true or false")),
            },
        }
    }

    fn kind(&self) -> TraitType {
        match self {
            Self::String(_) | Self::Strings(_) => TraitType::String,
            Self::Number(_) => TraitType::Number,
            Self::Boolean(_) => TraitType::Boolean,
        }
    }

    fn order(&self, found: FoundTrait<'_>) -> Option<Ordering> {
        match (self, found) {
            (Self::String(value), FoundTrait::String(text)) => Some(text.cmp(value)),
            (Self::Number(value), FoundTrait::Number(digits)) => {
                let number: Decimal = digits.parse().ok()?;
                Some(number.cmp(value))
            }
            (Self::Boolean(value), FoundTrait::Boolean(flag)) => Some(flag.cmp(value)),
            _ => None,
        }
    }

    fn is_within(&self, found: Option<FoundTrait<'_>>) -> bool {
        match (self, found) {
            (Self::String(value), Some(FoundTrait::String(text))) => text.contains(value),
            _ => false,
        }
    }

    /// Returns whether a trait is one of the values.
    fn lists(&self, found: Option<FoundTrait<'_>>) -> bool {
        match (self, found) {
            (Self::Strings(values), Some(FoundTrait::String(text))) => values.contains(text),
            _ => false,
        }
    }
}

/// Writes the value. Equal values have equal texts.
impl fmt::Display for TraitValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String(text) => f.write_str(text),
            Self::Strings(texts) => {
                for (n, text) in texts.iter().enumerate() {
                    let comma = if n > 0 { "," } else { "" };
                    write!(f, "{comma}{text}")?;
                }
                Ok(())
            }
            Self::Number(number) => number.fmt(f),
            Self::Boolean(flag) => flag.fmt(f),
        }
    }
}

word_enum! {
    /// The type that a trait must have to be equal to anything.
    pub enum TraitType, "must be string, number or boolean" {
        String = "string",
        Number = "number",
        Boolean = "boolean",
    }
}

word_enum! {
    /// The type of a stored trait.
    pub enum ValueType, "must be string, number, boolean or other" {
        String = "string",
        Number = "number",
        Boolean = "boolean",
        Other = "other",
    }
}

/// Parses what [`TraitFilter`] displays. The name ends at the first `=`, and the operator at the first
/// `:` after it; an operator without a type is one on strings.
impl FromStr for TraitFilter {
    /// The requirement, as an [`Invalid`] is.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const FORM: &str = "must be NAME=OPERATOR:VALUE, such as plan=eq:pro, seats=number.gte:4 or beta=boolean.eq:true";
        let (name, condition) = text.split_once('=').ok_or(FORM)?;
        let (operator, value) = condition.split_once(':').ok_or(FORM)?;
        Ok(Self {
            name: name.parse().map_err(|Invalid(expected)| expected)?,
            condition: parse_condition(operator, value)?,
        })
    }
}

fn parse_condition(operator: &str, value: &str) -> Result<TraitCondition, String> {
    let (kind, operator) = match operator.split_once('.') {
        Some((kind, operator)) => {
            let of_type = part("must have as the type before the operator");
            (kind.parse().map_err(of_type)?, operator)
        }
        None => (TraitType::String, operator),
    };
    let operator = parse_operator(kind, operator)?;
    let value = TraitValue::parse(kind, Some(operator), value);
    Ok(TraitCondition {
        operator,
        value: value.map_err(part("must have a value that is"))?,
    })
}

fn parse_operator(kind: TraitType, text: &str) -> Result<Operator, String> {
    Operator::parse(kind, text).map_err(|_| {
        let operators = Operator::listed(kind);
        // The operator is one of numbers, and may lack the type before it.
        let meant = match Operator::parse(TraitType::Number, text) {
            Ok(_) if kind == TraitType::String => format!(" (of a number, number.{text})"),
            _ => String::new(),
        };
        format!("must have as the operator of a {kind} {operators}{meant}")
    })
}

/// Writes the filter in its canonical form: equal filters have equal texts.
impl fmt::Display for TraitFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (operator, value) = self.condition.words();
        write!(f, "{}={operator}:{value}", self.name.as_str())
    }
}

/// Returns a function that makes the error of a part: `beginning`, and then what the part must be.
fn part(beginning: &str) -> impl Fn(Invalid) -> String {
    move |Invalid(expected)| {
        let what = expected.strip_prefix("must be ").unwrap_or(expected);
        format!("{beginning} {what}")
    }
}
