//! The columns of a table: which fields they hold, and of which type their traits are.

use std::collections::HashMap;

use anyhow::{Context, ensure};
use model::Decimal;
use serde_json::value::{RawValue, to_raw_value};

use crate::reason::{argument, listed, quoted};
use crate::rules::{Field, ImportRules, RecordKind, StringTraits, TRAITS, field_of};
use crate::sample::{Place, Sample};

/// How many columns a table may have, each of which is looked at.
pub(crate) const MAX_COLUMNS: usize = 4_000;

/// The columns of a table, and the fields that are read from them.
pub(crate) struct Columns {
    /// The names by which columns are found: trimmed, and `Score#2` for the second `Score`.
    pub(crate) names: Vec<String>,
    /// The same in lower case.
    folded: Vec<String>,
    pub(crate) fields: Vec<ColumnField>,
}

/// A field that is read from a column.
pub(crate) struct ColumnField {
    pub(crate) field: Field,
    /// The position of the column.
    pub(crate) column: usize,
    /// The position of the column whose text follows behind a blank: a time behind its date.
    pub(crate) second: Option<usize>,
    /// The type of its values, if it is a trait.
    pub(crate) trait_type: TraitType,
}

/// The type of the values of a trait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TraitType {
    Text,
    /// As in `1961.95`.
    Number,
    /// As in `1961,95`.
    NumberWithComma,
    /// `true` and `false`, in upper or lower case.
    Boolean,
}

impl Columns {
    /// Assigns fields to the columns of this header.
    ///
    /// # Errors
    ///
    /// Fails if an option names a column that is not there, or two columns have the name of a field.
    pub(crate) fn of(header: &[String], rules: &ImportRules) -> anyhow::Result<Self> {
        ensure!(
            header.len() <= MAX_COLUMNS,
            "it has {} columns, and at most {MAX_COLUMNS} are read",
            header.len()
        );
        let names = numbered_names(header);
        let mut columns = Self {
            folded: names.iter().map(|name| name.to_lowercase()).collect(),
            names,
            fields: Vec::new(),
        };
        for mapping in &rules.map {
            let place = columns.find_place(&mapping.place);
            let (column, second) = place.with_context(|| {
                let place = quoted(&mapping.place);
                format!(
                    "there is no column {place}; the columns are {}",
                    columns.quoted_names()
                )
            })?;
            let field = field_of(rules.kind, &mapping.field).context("unknown field")?;
            columns.add(field, column, second);
        }
        for member in rules.kind.members() {
            let Some(column) = columns.find(member) else {
                continue;
            };
            let name = columns.names.get(column).map_or(*member, |name| name);
            let again = format!("{name}#2");
            let is_twice = columns.names.contains(&again);
            let is_added = columns.add_own(Field::Member(member), column);
            ensure!(
                !is_added || !is_twice,
                "two columns are called {member}: --map {member}={member} reads the first, and --map {} the second",
                argument(&format!("{member}={again}"))
            );
        }
        for (column, name) in columns.names.clone().iter().enumerate() {
            if let Some((prefix, name)) = name.split_at_checked(TRAITS.len())
                && prefix.eq_ignore_ascii_case(TRAITS)
                && !name.is_empty()
            {
                columns.add_own(Field::Trait(name.to_owned()), column);
            }
        }
        Ok(columns)
    }

    fn add(&mut self, field: Field, column: usize, second: Option<usize>) {
        self.fields.push(ColumnField {
            field,
            column,
            second,
            trait_type: TraitType::Text,
        });
    }

    /// Adds a field that its column is called like, unless an option says that it is elsewhere, or that the
    /// column is another one. An address that is a `userId` stays an address. Returns whether it is added.
    fn add_own(&mut self, field: Field, column: usize) -> bool {
        let is_other = |it: &ColumnField| {
            let is_read = it.reads(column);
            let is_address = field == Field::Member("email") && it.field == Field::Member("userId");
            it.field == field || (is_read && !is_address)
        };
        let is_free = !self.fields.iter().any(is_other);
        if is_free {
            self.add(field, column, None);
        }
        is_free
    }

    /// Returns the position of the column of this name, or of one that differs in case alone.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let name = name.trim();
        let position = |names: &[String], name: &str| names.iter().position(|other| other == name);
        position(&self.names, name).or_else(|| position(&self.folded, &name.to_lowercase()))
    }

    /// Returns the column of this name, or the two columns whose names it joins: `Date+Time`.
    pub(crate) fn find_place(&self, place: &str) -> Option<(usize, Option<usize>)> {
        let joined = || {
            let mut plus = place.match_indices('+');
            plus.find_map(|(at, _)| {
                let [first, second] = [place.get(..at)?, place.get(at + 1..)?];
                Some((self.find(first)?, Some(self.find(second)?)))
            })
        };
        self.find(place)
            .map(|column| (column, None))
            .or_else(joined)
    }

    /// Returns the field of a member, if a column has it.
    pub(crate) fn member(&self, member: &str) -> Option<&ColumnField> {
        self.fields.iter().find(|it| it.field.is_member(member))
    }

    /// Returns whether the table seems to be one of this kind, and not of the other, as far as its own names
    /// tell.
    pub(crate) fn look_like(&self, kind: RecordKind, rules: &ImportRules) -> bool {
        let is_mapped = |column| {
            let mut mappings = rules.map.iter();
            mappings.any(|map| self.find(&map.place) == Some(column))
        };
        let has = |member| self.find(member).is_some_and(|column| !is_mapped(column));
        let is_field = |name: &String| kind.has_field(name);
        match kind {
            RecordKind::Responses => has("created") && has("rating"),
            // A column of another name may hold ratings, so the table may be one of responses.
            RecordKind::Users => has("userId") && !has("rating") && self.names.iter().all(is_field),
        }
    }

    /// Returns the names as they are listed in messages.
    pub(crate) fn quoted_names(&self) -> String {
        listed(&self.names)
    }

    /// Returns the names of the columns that are not read.
    pub(crate) fn unused(&self) -> impl Iterator<Item = &String> {
        let is_read = |column| self.fields.iter().any(|it| it.reads(column));
        let names = self.names.iter().enumerate();
        names.filter_map(move |(column, name)| (!is_read(column)).then_some(name))
    }

    /// Returns the values of the fields, and of the columns that a field may be read from, of these of all columns.
    pub(crate) fn sample(&self, places: &[Place]) -> Sample {
        let of = |it: &ColumnField| {
            let first = places.get(it.column)?;
            let second = it.second.and_then(|second| places.get(second));
            let place = second.map_or_else(|| first.clone(), |second| Place::joined(first, second));
            Some((it.field.clone(), place))
        };
        let is_free = |(column, place): &(usize, &Place)| {
            // What others call `createdAt` may be the date of a response.
            let is_taken = |it: &ColumnField| it.reads(*column) && !it.field.is_member("createdAt");
            let is_named = !place.name.is_empty() && !place.name.contains(char::is_control);
            is_named && !self.fields.iter().any(is_taken)
        };
        let free = places.iter().enumerate().filter(is_free);
        Sample {
            fields: self.fields.iter().filter_map(of).collect(),
            free: free.map(|(_, place)| place.clone()).collect(),
        }
    }

    /// Decides of which type each trait is, by the values of all columns in the head of the file.
    pub(crate) fn decide_types(&mut self, places: &[Place], rules: &ImportRules, delimiter: u8) {
        for it in &mut self.fields {
            let Field::Trait(name) = &it.field else {
                continue;
            };
            let is_text = match &rules.string_traits {
                StringTraits::None => false,
                StringTraits::Named(names) => names.contains(name),
                StringTraits::All => true,
            };
            let values = places
                .get(it.column)
                .into_iter()
                .flat_map(|place| &place.values);
            let is_there = |value: &&String| !rules.is_null(value);
            let values = values.filter(is_there).map(String::as_str);
            let found = TraitType::of(values.clone());
            // Where semicolons separate, 1,250 and 1.250 may be thousands or not.
            let may_be_thousands = |mark| {
                let mut with_mark = values
                    .clone()
                    .filter_map(|value| value.split_once(mark))
                    .peekable();
                with_mark.peek().is_some() && with_mark.all(|(_, digits)| digits.len() == 3)
            };
            let is_possible = |found: &TraitType| match found {
                _ if is_text => false,
                TraitType::Number => delimiter == b',' || !may_be_thousands('.'),
                TraitType::NumberWithComma => delimiter != b',' && !may_be_thousands(','),
                TraitType::Text | TraitType::Boolean => true,
            };
            it.trait_type = found.filter(is_possible).unwrap_or(TraitType::Text);
        }
    }
}

impl ColumnField {
    /// Returns whether it is read from the column at this position.
    fn reads(&self, column: usize) -> bool {
        self.column == column || self.second == Some(column)
    }
}

impl TraitType {
    /// Returns the type that all of these texts have, if they are numbers or booleans and there are any.
    pub(crate) fn of<'a>(mut texts: impl Iterator<Item = &'a str> + Clone) -> Option<Self> {
        let types = [Self::Boolean, Self::Number, Self::NumberWithComma];
        let fits = |kind: &Self| texts.clone().all(|text| kind.json(text).is_some());
        let found = types.into_iter().find(fits);
        texts.next().and(found)
    }

    /// Returns the JSON of a cell, if it has a value of this type.
    pub(crate) fn json(self, cell: &str) -> Option<Box<RawValue>> {
        match self {
            Self::Text => to_raw_value(cell).ok(),
            Self::Boolean => {
                let mut words = ["true", "false"].into_iter();
                let word = words.find(|word| cell.eq_ignore_ascii_case(word))?;
                RawValue::from_string(word.to_owned()).ok()
            }
            Self::Number => number(cell),
            Self::NumberWithComma => {
                let is_plain = !cell.contains('.') && cell.matches(',').count() <= 1;
                number(&is_plain.then(|| cell.replace(',', "."))?)
            }
        }
    }
}

/// Returns the JSON of a plain number, which has no leading zero, exponent or plus.
fn number(cell: &str) -> Option<Box<RawValue>> {
    let is_plain = |byte: u8| byte.is_ascii_digit() || byte == b'-' || byte == b'.';
    let is_json = serde_json::from_str::<&RawValue>(cell).is_ok();
    let is_number = is_json && cell.bytes().all(is_plain);
    let number: Decimal = cell.parse().ok().filter(|_| is_number)?;
    RawValue::from_string(number.to_string()).ok()
}

/// Returns the names by which columns are found.
fn numbered_names(header: &[String]) -> Vec<String> {
    let mut counts = HashMap::<&str, u32>::new();
    let names = header.iter().map(|name| {
        let name = name.trim();
        let count = counts.entry(name).or_default();
        *count += 1;
        match *count {
            1 => name.to_owned(),
            count => format!("{name}#{count}"),
        }
    });
    names.collect()
}
