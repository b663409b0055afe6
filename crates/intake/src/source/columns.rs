//! Maps the columns of a table to the members of records.

use std::borrow::Cow;
use std::collections::BTreeMap;

use anyhow::{bail, ensure};
use serde::Serialize;
use serde_json::value::RawValue;
use shared::model::{Decimal, Timestamp, UserId};

use crate::rules::kind::{Kind, Member};
use crate::rules::mapping::{Field, Mapping, field_of};
use crate::rules::reason::{Reason, quoted};
use crate::rules::{Rules, TraitCells};

/// Returns the field of this column. A field that is mapped to another column is not read from the
/// column of its own name.
fn field_of_column(column: &str, rules: &Rules) -> Option<Field> {
    if let Some(mapping) = rules.map.iter().find(|mapping| mapping.source == column) {
        return field_of(rules.kind, &mapping.field);
    }
    let is_mapped = rules.map.iter().any(|mapping| mapping.field == column);
    field_of(rules.kind, column).filter(|_| !is_mapped)
}

/// The field of each column; `None` for a column that is not imported.
pub(crate) struct Columns<'a> {
    rules: &'a Rules,
    names: &'a [String],
    fields: Vec<Option<Field>>,
}

/// A JSON value of a record.
#[derive(Serialize)]
#[serde(untagged)]
enum Cell<'a> {
    Text(Cow<'a, str>),
    Plain(Box<RawValue>),
    Members(BTreeMap<&'a str, Cell<'a>>),
}

impl<'a> Columns<'a> {
    /// Assigns fields to the columns of a table with this header; returns the names of the columns
    /// that are not imported, too.
    pub(crate) fn from_header(
        header: &'a [String],
        rules: &'a Rules,
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
        let unused = header.iter().zip(&columns.fields);
        let unused = unused.filter(|(_, field)| field.is_none());
        let unused = unused.map(|(name, _)| quoted(name)).collect();
        Ok((columns, unused))
    }

    /// Checks that every mapped column exists, no required field is absent, and no field has two
    /// columns.
    fn check(&self) -> anyhow::Result<()> {
        let names: Vec<_> = self.names.iter().map(|name| quoted(name)).collect();
        let names = names.join(", ");
        for (n, Mapping { source: column, .. }) in self.rules.map.iter().enumerate() {
            let mut rest = self.rules.map.iter().skip(n + 1);
            ensure!(
                !rest.any(|other| other.source == *column),
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
        for required in self.rules.kind.required_members() {
            if self.position(*required).is_none() {
                let required = required.name();
                bail!(
                    "there is no column {required}; the columns are {names}; name one with \
                     --map {required}=\"…\""
                );
            }
        }
        for (n, field) in self.fields.iter().enumerate() {
            if field.is_some() && self.fields.iter().skip(n + 1).any(|other| other == field) {
                bail!("two columns map to the same field; the columns are {names}");
            }
        }
        Ok(())
    }

    /// Returns whether the table seems to be one of this kind, and not of the other.
    fn look_like(&self, kind: Kind) -> bool {
        let has = |member: &Member| {
            let at = self.names.iter().position(|name| name == member.name());
            at.is_some_and(|at| {
                self.rules
                    .map
                    .iter()
                    .all(|map| Some(&map.source) != self.names.get(at))
            })
        };
        let is_field = |name: &String| field_of(kind, name).is_some();
        let is_whole = kind.required_members().iter().all(has);
        match kind {
            Kind::Responses => is_whole,
            // Any other column may have the rating.
            Kind::Users => is_whole && !has(&Member::Rating) && self.names.iter().all(is_field),
        }
    }

    /// Returns the names of the columns.
    pub(crate) fn names(&self) -> &'a [String] {
        self.names
    }

    /// Returns the position of the column of a member.
    pub(crate) fn position(&self, member: Member) -> Option<usize> {
        let field = Some(Field::Member(member));
        self.fields.iter().position(|found| *found == field)
    }

    /// Returns the position of the cell that makes these cells look like a row of the table, if they
    /// do: they are as many as those of the header, and the cell that dates the record is a date. In a
    /// table without such a column, the `userId` must be valid.
    pub(crate) fn decisive_cell(&self, cells: &[String]) -> Option<usize> {
        let is_date = |member, at: usize| match cells.get(at).map(|cell| self.member(member, cell))
        {
            Some(Ok(Cell::Text(text))) => text.parse::<Timestamp>().is_ok(),
            _ => false,
        };
        if cells.len() != self.fields.len() {
            return None;
        }
        for member in [Member::Created, Member::LastSeen] {
            if let Some(at) = self.position(member) {
                return is_date(member, at).then_some(at);
            }
        }
        let user_id = self.position(Member::UserId);
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
        let (mut record, mut user, mut traits) =
            (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for (cell, field) in row.iter().zip(&self.fields) {
            match field {
                Some(_) if cell.is_empty() => {}
                None => {}
                Some(Field::Trait(name)) => {
                    traits.insert(name.as_str(), self.trait_of(cell));
                }
                Some(Field::Member(member)) => {
                    let members = if self.rules.kind.is_in_user(*member) {
                        &mut user
                    } else {
                        &mut record
                    };
                    members.insert(member.name(), self.member(*member, cell)?);
                }
            }
        }
        let owner = match self.rules.kind {
            Kind::Responses => &mut user,
            Kind::Users => &mut record,
        };
        if !traits.is_empty() {
            owner.insert("traits", Cell::Members(traits));
        }
        if !user.is_empty() {
            record.insert("user", Cell::Members(user));
        }
        serde_json::to_string(&record).map_err(|error| error.to_string())
    }

    fn member<'b>(&self, member: Member, cell: &'b str) -> Result<Cell<'b>, Reason> {
        let name = member.name();
        Ok(Cell::Text(match &self.rules.dates {
            Some(dates) if member.is_date() => Cow::Owned(
                dates
                    .canonical(cell)
                    .map_err(|reason| format!("{name}: {reason}"))?,
            ),
            _ => Cow::Borrowed(cell),
        }))
    }

    /// Converts the cell of a trait. It is a number or boolean only in canonical form: `01234` is a
    /// string.
    fn trait_of<'b>(&self, cell: &'b str) -> Cell<'b> {
        let plain = matches!(cell, "true" | "false")
            || cell
                .parse::<Decimal>()
                .is_ok_and(|number| number.to_string() == cell);
        let plain = plain && self.rules.traits == TraitCells::Typed;
        match RawValue::from_string(cell.to_owned()) {
            Ok(raw) if plain => Cell::Plain(raw),
            _ => Cell::Text(Cow::Borrowed(cell)),
        }
    }
}

#[cfg(test)]
mod tests;
