//! Maps the columns of a table to the members of records.

use std::borrow::Cow;
use std::collections::BTreeMap;

use anyhow::{bail, ensure};
use serde::Serialize;
use serde_json::value::RawValue;
use shared::model::{Decimal, Timestamp, UserId};

use super::dates::Dates;
use super::kind::Kind;
use crate::text::quoted;

/// The fields that are dates.
const DATES: [&str; 3] = ["created", "createdAt", "lastSeen"];

/// `--map FIELD=COLUMN`.
#[derive(Debug, Clone)]
pub(super) struct Mapping {
    field: String,
    column: String,
}

impl std::str::FromStr for Mapping {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((field, column)) if !field.is_empty() && !column.is_empty() => Ok(Self {
                field: field.to_owned(),
                column: column.to_owned(),
            }),
            _ => Err("write it as FIELD=COLUMN, such as rating=\"Your score\""),
        }
    }
}

/// How cells are interpreted.
#[derive(Debug, Clone)]
pub(super) struct CellOptions {
    pub(super) map: Vec<Mapping>,
    pub(super) dates: Option<Dates>,
    pub(super) string_traits: bool,
    /// Whether a cell may contain lines that look like rows.
    pub(super) multiline: bool,
}

impl CellOptions {
    /// Checks that every mapping names a field of this kind, once.
    pub(super) fn check(&self, kind: Kind) -> anyhow::Result<()> {
        for (n, Mapping { field, column }) in self.map.iter().enumerate() {
            ensure!(
                field_of(kind, field).is_some(),
                "--map {field}=…: unknown field; the fields are {} and traits.<name>",
                kind.fields().join(", ")
            );
            let mut rest = self.map.iter().skip(n + 1);
            ensure!(
                !rest.clone().any(|other| other.field == *field),
                "--map names a column for {field} twice"
            );
            ensure!(
                !rest.any(|other| other.column == *column),
                "--map names a field for the column {} twice",
                quoted(column)
            );
        }
        Ok(())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Field {
    Member(&'static str),
    Trait(String),
}

fn field_of(kind: Kind, name: &str) -> Option<Field> {
    let member = kind.fields().iter().find(|field| **field == name);
    let named = || name.strip_prefix("traits.").filter(|name| !name.is_empty());
    member
        .map(|member| Field::Member(member))
        .or_else(|| Some(Field::Trait(named()?.to_owned())))
}

/// Returns the field of this column. A field that is mapped to another column is not read from the
/// column of its own name.
fn field_of_column(kind: Kind, column: &str, options: &CellOptions) -> Option<Field> {
    if let Some(mapping) = options.map.iter().find(|mapping| mapping.column == column) {
        return field_of(kind, &mapping.field);
    }
    let is_mapped = options.map.iter().any(|mapping| mapping.field == column);
    field_of(kind, column).filter(|_| !is_mapped)
}

/// The field of each column; `None` for a column that is not imported.
pub(super) struct Columns<'a> {
    kind: Kind,
    options: &'a CellOptions,
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
    pub(super) fn from_header(
        kind: Kind,
        header: &'a [String],
        options: &'a CellOptions,
    ) -> anyhow::Result<(Self, Vec<String>)> {
        let columns = Self {
            kind,
            options,
            names: header,
            fields: header
                .iter()
                .map(|column| field_of_column(kind, column, options))
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
        for Mapping { column, .. } in &self.options.map {
            ensure!(
                self.names.contains(column),
                "there is no column {}; the columns are {names}",
                quoted(column)
            );
        }
        for required in self.kind.required_fields() {
            if !self.fields.contains(&Some(Field::Member(required))) {
                bail!(
                    "there is no column {required}; the columns are {names}; name one with --map {required}=\"…\""
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

    /// Returns the names of the columns.
    pub(super) fn names(&self) -> &'a [String] {
        self.names
    }

    /// Returns the position of the column of a field.
    pub(super) fn position(&self, field: &'static str) -> Option<usize> {
        let field = Some(Field::Member(field));
        self.fields.iter().position(|found| *found == field)
    }

    /// Returns the position of the cell that makes these cells look like a row of the table, if they
    /// do: they are as many as those of the header, and the cell that dates the record is a date. In a
    /// table without such a column, the `userId` must be valid.
    pub(super) fn decisive_cell(&self, cells: &[String]) -> Option<usize> {
        let is_date = |name, at: usize| match cells.get(at).map(|cell| self.member(name, cell)) {
            Some(Ok(Cell::Text(text))) => text.parse::<Timestamp>().is_ok(),
            _ => false,
        };
        if cells.len() != self.fields.len() {
            return None;
        }
        for name in ["created", "lastSeen"] {
            if let Some(at) = self.position(name) {
                return is_date(name, at).then_some(at);
            }
        }
        let user_id = self.position("userId");
        user_id.filter(|at| cells.get(*at).is_some_and(|id| UserId::is_valid(id)))
    }

    /// Converts a row to the JSON of a record. An empty cell is an absent value.
    pub(super) fn record(&self, row: &[String]) -> Result<String, String> {
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
                Some(Field::Member(name)) => {
                    let members = if self.kind.is_in_user(name) {
                        &mut user
                    } else {
                        &mut record
                    };
                    members.insert(*name, self.member(name, cell)?);
                }
            }
        }
        let owner = match self.kind {
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

    fn member<'b>(&self, name: &str, cell: &'b str) -> Result<Cell<'b>, String> {
        let date = DATES.contains(&name).then_some(self.options.dates.as_ref());
        Ok(Cell::Text(match date.flatten() {
            Some(dates) => Cow::Owned(
                dates
                    .canonical(cell)
                    .map_err(|reason| format!("{name}: {reason}"))?,
            ),
            None => Cow::Borrowed(cell),
        }))
    }

    /// Converts the cell of a trait. It is a number or boolean only in canonical form: `01234` is a
    /// string.
    fn trait_of<'b>(&self, cell: &'b str) -> Cell<'b> {
        let plain = matches!(cell, "true" | "false")
            || cell
                .parse::<Decimal>()
                .is_ok_and(|number| number.to_string() == cell);
        let plain = plain && !self.options.string_traits;
        match RawValue::from_string(cell.to_owned()) {
            Ok(raw) if plain => Cell::Plain(raw),
            _ => Cell::Text(Cow::Borrowed(cell)),
        }
    }
}

#[cfg(test)]
mod tests;
