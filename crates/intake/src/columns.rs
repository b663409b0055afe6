//! The columns of a table, and the JSON of the record that a row is.

use std::borrow::Cow;
use std::collections::BTreeMap;

use anyhow::ensure;
use model::{Decimal, UserId};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::dates::timestamp;
use crate::reason::{Reason, quoted};
use crate::rules::{Field, ImportRules, Mapping, RecordKind, field_of, is_date, is_text};

/// The field of each column; `None` for a column that is not imported.
pub(crate) struct Columns<'a> {
    rules: &'a ImportRules,
    pub(crate) names: &'a [String],
    fields: Vec<Option<Field>>,
}

impl<'a> Columns<'a> {
    /// Assigns fields to the columns of a table with this header; returns the names of the columns
    /// that are not imported, too.
    pub(crate) fn from_header(
        header: &'a [String],
        rules: &'a ImportRules,
    ) -> anyhow::Result<(Self, Vec<String>)> {
        let columns = Self {
            rules,
            names: header,
            fields: header
                .iter()
                .map(|column| field_of_column(column, rules))
                .collect(),
        };
        columns.check()?;
        let assigned = header.iter().zip(&columns.fields);
        let unused = assigned.filter(|(_, field)| field.is_none());
        let unused_names = unused.map(|(name, _)| quoted(name)).collect();
        Ok((columns, unused_names))
    }

    /// Checks that every mapped column exists, the column of users' ids is there, and no field has two
    /// columns.
    fn check(&self) -> anyhow::Result<()> {
        let names = quoted_names(self.names);
        for (n, Mapping { place: column, .. }) in self.rules.map.iter().enumerate() {
            let mut rest = self.rules.map.iter().skip(n + 1);
            ensure!(
                !rest.any(|other| other.place == *column),
                "--map names a field for the column {} twice",
                quoted(column)
            );
            ensure!(
                self.names.contains(column),
                "there is no column {}; the columns are {names}",
                quoted(column)
            );
        }
        let other = self.rules.kind.other();
        ensure!(
            self.rules.map_decisive_field() || !self.look_like(other),
            other.refusal()
        );
        ensure!(
            self.rules.kind == RecordKind::Responses || self.position("userId").is_some(),
            "there is no column userId; the columns are {names}; name one with --map userId=\"…\""
        );
        for (n, field) in self.fields.iter().enumerate() {
            let mut rest = self.fields.iter().skip(n + 1);
            ensure!(
                field.is_none() || rest.all(|other| other != field),
                "two columns map to the same field; the columns are {names}"
            );
        }
        Ok(())
    }

    /// Returns whether the table seems to be one of this kind, and not of the other.
    fn look_like(&self, kind: RecordKind) -> bool {
        let is_mapped = |column: &str| self.rules.map.iter().any(|map| map.place == column);
        let has = |member: &str| self.names.iter().any(|name| name == member) && !is_mapped(member);
        let is_field = |name: &String| field_of(kind, name).is_some();
        match kind {
            RecordKind::Responses => has("created") && has("rating"),
            // A column of another name may hold ratings, so the table may be one of responses.
            RecordKind::Users => has("userId") && !has("rating") && self.names.iter().all(is_field),
        }
    }

    /// Returns the position of the column of a member.
    pub(crate) fn position(&self, member: &str) -> Option<usize> {
        let is_field =
            |field: &Option<Field>| matches!(field, Some(Field::Member(name)) if *name == member);
        self.fields.iter().position(is_field)
    }

    /// Returns the position of the cell that makes these cells look like a row of the table, if they
    /// do: they are as many as those of the header, and the cell that dates the record is a date. In a
    /// table without such a column, the `userId` must be valid.
    pub(crate) fn decisive_cell(&self, cells: &[String]) -> Option<usize> {
        if cells.len() != self.fields.len() {
            return None;
        }
        let is_date = |member, at: &usize| {
            let text = cells.get(*at).map(|cell| self.member(member, cell));
            text.is_some_and(|text| text.is_ok_and(|text| timestamp(&text).is_ok()))
        };
        for member in ["created", "lastSeen"] {
            if let Some(at) = self.position(member) {
                return Some(at).filter(|at| is_date(member, at));
            }
        }
        let user_id = self.position("userId");
        user_id.filter(|at| cells.get(*at).is_some_and(|id| UserId::is_valid(id)))
    }

    /// Converts a row to the JSON of a record. An empty cell is an absent value.
    pub(crate) fn record(&self, row: &[String]) -> Result<String, Reason> {
        if row.len() != self.fields.len() {
            return Err(format!(
                "it has {} cells where the header has {}",
                row.len(),
                self.fields.len()
            ));
        }
        let mut record = BTreeMap::new();
        let mut user = BTreeMap::new();
        let mut traits = BTreeMap::new();
        for (written, field) in row.iter().zip(&self.fields) {
            let cell = match field {
                Some(Field::Member(member)) if !is_text(member) => written.trim(),
                _ => written,
            };
            match field {
                Some(Field::Trait(name)) if !cell.is_empty() => {
                    traits.insert(&**name, self.trait_of(cell)?);
                }
                Some(Field::Member(member)) if !cell.is_empty() => {
                    let is_in_user = self.rules.kind.is_in_user(member);
                    let members = if is_in_user { &mut user } else { &mut record };
                    members.insert(*member, json(&*self.member(member, cell)?)?);
                }
                _ => {}
            }
        }
        let owner = match self.rules.kind {
            RecordKind::Responses => &mut user,
            RecordKind::Users => &mut record,
        };
        if !traits.is_empty() {
            owner.insert("traits", json(&traits)?);
        }
        if !user.is_empty() {
            record.insert("user", json(&user)?);
        }
        serde_json::to_string(&record).map_err(|error| error.to_string())
    }

    /// Converts the cell of a member to its text in a record.
    fn member<'b>(&self, member: &str, cell: &'b str) -> Result<Cow<'b, str>, Reason> {
        match &self.rules.dates {
            Some(dates) if is_date(member) => {
                let date = dates.canonical(cell).map(Cow::Owned);
                date.map_err(|reason| format!("{member}: {reason}"))
            }
            _ => Ok(Cow::Borrowed(cell)),
        }
    }

    /// Converts the cell of a trait. It is a number or boolean only in canonical form: `01234` is a
    /// string.
    fn trait_of(&self, cell: &str) -> Result<Box<RawValue>, Reason> {
        let number = || cell.parse::<Decimal>().ok();
        let is_plain = matches!(cell, "true" | "false")
            || number().is_some_and(|number| number.to_string() == cell);
        match RawValue::from_string(cell.to_owned()) {
            Ok(raw) if is_plain && !self.rules.string_traits => Ok(raw),
            _ => json(cell),
        }
    }
}

/// Returns the field of this column. A field that is mapped to another column is not read from the
/// column of its own name.
fn field_of_column(column: &str, rules: &ImportRules) -> Option<Field> {
    if let Some(mapping) = rules.map.iter().find(|mapping| mapping.place == column) {
        return field_of(rules.kind, &mapping.field);
    }
    let is_mapped = rules.map.iter().any(|mapping| mapping.field == column);
    field_of(rules.kind, column).filter(|_| !is_mapped)
}

fn json(value: &(impl Serialize + ?Sized)) -> Result<Box<RawValue>, Reason> {
    to_raw_value(value).map_err(|error| error.to_string())
}

/// Returns these names as they are listed in messages.
pub(crate) fn quoted_names(names: &[String]) -> String {
    let quoted_names = names.iter().map(|name| quoted(name));
    quoted_names.collect::<Vec<_>>().join(", ")
}
