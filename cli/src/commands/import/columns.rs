//! Which column of a table is which member of a record.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;
use shared::model::canonical_number;

use super::dates::Dates;
use super::record::quoted;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Responses,
    Users,
}

impl Kind {
    /// The member of a document that holds the list.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Responses => "responses",
            Self::Users => "users",
        }
    }

    /// The names that columns can have, beside those of traits.
    fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Responses => &[
                "id",
                "created",
                "rating",
                "dismissed",
                "userId",
                "name",
                "email",
                "createdAt",
            ],
            Self::Users => &[
                "id",
                "userId",
                "created",
                "lastSeen",
                "email",
                "name",
                "unsubscribed",
            ],
        }
    }

    /// A table without these columns is not meant for this command.
    fn required(self) -> &'static [&'static str] {
        match self {
            Self::Responses => &["created", "rating"],
            Self::Users => &["userId"],
        }
    }

    fn in_user(self, field: &str) -> bool {
        self == Self::Responses && ["userId", "name", "email", "createdAt"].contains(&field)
    }
}

const DATES: [&str; 3] = ["created", "createdAt", "lastSeen"];

/// `--map FIELD=COLUMN`.
#[derive(Debug, Clone)]
pub(crate) struct Mapping {
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

/// How the cells of a table are read.
#[derive(Debug, Clone)]
pub(crate) struct CellOptions {
    pub(crate) map: Vec<Mapping>,
    pub(crate) dates: Option<Dates>,
    pub(crate) string_traits: bool,
}

impl CellOptions {
    /// Checks that every mapping names a field of this kind, once.
    pub(crate) fn check(&self, kind: Kind) -> Result<(), String> {
        for (n, Mapping { field, .. }) in self.map.iter().enumerate() {
            if field_of(kind, field).is_none() {
                return Err(format!(
                    "--map {field}=…: there is no such field; there are {} and traits.<name>",
                    kind.fields().join(", ")
                ));
            }
            if self
                .map
                .iter()
                .skip(n + 1)
                .any(|other| other.field == *field)
            {
                return Err(format!("--map names a column for {field} twice"));
            }
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

/// What each column of a table is; `None` where it is not imported.
pub(crate) struct Columns<'a> {
    kind: Kind,
    options: &'a CellOptions,
    fields: Vec<Option<Field>>,
}

/// A value of the JSON that a row becomes.
#[derive(Serialize)]
#[serde(untagged)]
enum Cell<'a> {
    Text(Cow<'a, str>),
    Plain(Box<RawValue>),
    Members(BTreeMap<&'a str, Cell<'a>>),
}

impl<'a> Columns<'a> {
    /// The columns of a table with this header, and the names of those that are not imported.
    pub(crate) fn of_header(
        kind: Kind,
        header: &[String],
        options: &'a CellOptions,
    ) -> Result<(Self, Vec<String>), String> {
        let listed = || {
            let names: Vec<_> = header.iter().map(|name| quoted(name)).collect();
            names.join(", ")
        };
        for Mapping { column, .. } in &options.map {
            if !header.contains(column) {
                return Err(format!(
                    "there is no column {}; the columns are {}",
                    quoted(column),
                    listed()
                ));
            }
        }
        let fields: Vec<_> = header
            .iter()
            .map(|column| {
                let mapped = options.map.iter().find(|mapping| mapping.column == *column);
                match mapped {
                    Some(mapping) => field_of(kind, &mapping.field),
                    // What is mapped from elsewhere is not taken from the column of its name.
                    None => field_of(kind, column)
                        .filter(|_| !options.map.iter().any(|mapping| mapping.field == *column)),
                }
            })
            .collect();
        for required in kind.required() {
            if !fields.contains(&Some(Field::Member(required))) {
                return Err(format!(
                    "there is no column {required}; the columns are {}; name one with --map {required}=\"…\"",
                    listed()
                ));
            }
        }
        for (n, field) in fields.iter().enumerate() {
            if field.is_some() && fields.iter().skip(n + 1).any(|other| other == field) {
                return Err(format!(
                    "two columns are the same field; the columns are {}",
                    listed()
                ));
            }
        }
        let unused = header.iter().zip(&fields);
        let unused = unused.filter(|(_, field)| field.is_none());
        let unused = unused.map(|(name, _)| quoted(name)).collect();
        let columns = Self {
            kind,
            options,
            fields,
        };
        Ok((columns, unused))
    }

    /// The row as the JSON that an export would hold. An empty cell is an absent value.
    pub(crate) fn record(&self, row: &[String]) -> Result<String, String> {
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
                    let members = if self.kind.in_user(name) {
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

    /// A number or boolean only if it is written as such would be: `01234` is no number.
    fn trait_of<'b>(&self, cell: &'b str) -> Cell<'b> {
        let plain = matches!(cell, "true" | "false")
            || canonical_number(cell).is_ok_and(|canonical| canonical == cell);
        let plain = plain && !self.options.string_traits;
        match RawValue::from_string(cell.to_owned()) {
            Ok(raw) if plain => Cell::Plain(raw),
            _ => Cell::Text(Cow::Borrowed(cell)),
        }
    }
}
