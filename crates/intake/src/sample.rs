//! What the head of a file holds, column by column or member by member.

use std::collections::HashMap;

use crate::date_forms::forms_of;
use crate::rules::Field;

/// The values in the head of a file.
#[derive(Default)]
pub(crate) struct Sample {
    /// The fields that are read, and their values. Those of answers are not known.
    pub(crate) fields: Vec<(Field, Place)>,
    /// The columns or members that a field may be read from.
    pub(crate) free: Vec<Place>,
}

/// A column, or a path to a member, and its values.
#[derive(Clone, Default)]
pub(crate) struct Place {
    pub(crate) name: String,
    /// Trimmed; an absent value is empty. Those of a table are one for each row.
    pub(crate) values: Vec<String>,
}

/// The words that stand for an absent value where numbers or dates are.
const NULLS: [&str; 9] = [
    "NULL", "null", "NA", "N/A", "#N/A", "None", "nan", r"\N", "-",
];

impl Place {
    /// Returns the values of two columns, joined by a blank.
    pub(crate) fn joined(first: &Self, second: &Self) -> Self {
        let pairs = first.values.iter().zip(&second.values);
        let values = pairs.map(|(first, second)| format!("{first} {second}").trim().to_owned());
        Self {
            name: format!("{}+{}", first.name, second.name),
            values: values.collect(),
        }
    }

    /// Returns the values that are there.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> + Clone {
        let values = self.values.iter().map(String::as_str);
        values.filter(|value| !value.is_empty() && !NULLS.contains(value))
    }

    /// Returns the words among the values that may stand for an absent one.
    pub(crate) fn nulls(&self) -> impl Iterator<Item = &'static str> {
        let is_used = |null: &&str| self.values.iter().any(|value| value == null);
        NULLS.into_iter().filter(is_used)
    }

    /// Returns the last step of its path.
    pub(crate) fn last_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or_default()
    }
}

impl Sample {
    /// Returns the values of a member, if it is read.
    pub(crate) fn member(&self, name: &str) -> Option<&Place> {
        let mut fields = self.fields.iter();
        fields.find_map(|(field, place)| field.is_member(name).then_some(place))
    }
}

/// The members of records, and their values.
#[derive(Default)]
pub(crate) struct Places {
    pub(crate) list: Vec<Place>,
    /// Where each name is in the list.
    positions: HashMap<String, usize>,
}

impl Places {
    /// Adds a value of a member. One that is no scalar is added as an absent value. The names of a hostile file must
    /// not fill the memory.
    pub(crate) fn add(&mut self, name: &str, value: &str) {
        const MAX_NAMES: usize = 4_000;
        let value = value.trim().to_owned();
        if let Some(place) = self
            .positions
            .get(name)
            .and_then(|at| self.list.get_mut(*at))
        {
            place.values.push(value);
        } else if self.list.len() < MAX_NAMES {
            self.positions.insert(name.to_owned(), self.list.len());
            self.list.push(Place {
                name: name.to_owned(),
                values: vec![value],
            });
        }
    }
}

/// Returns the values of these columns, and how many of the first rows belong to the header: they have no number or
/// date in any column in which all others have one, of which there are two.
pub(crate) fn columns_of(
    names: &[String],
    rows: &[Vec<String>],
    nulls: &[String],
) -> (Vec<Place>, usize) {
    let header_rows = (1..=MOST_HEADER_ROWS).rev().find(|count| {
        let (first, others) = rows.split_at_checked(*count).unwrap_or_default();
        let typed = (0..names.len()).filter(|column| {
            let mut cells = others.iter().filter_map(|row| row.get(*column));
            cells.clone().any(is_typed)
                && cells.all(|cell| cell.trim().is_empty() || is_typed(cell))
        });
        let typed: Vec<_> = typed.collect();
        let cells = first
            .iter()
            .flat_map(|row| typed.iter().filter_map(|at| row.get(*at)));
        typed.len() >= 2 && !cells.into_iter().any(is_typed)
    });
    let header_rows = header_rows.unwrap_or(0);
    let rows = rows.get(header_rows..).unwrap_or_default();
    let places = names.iter().enumerate().map(|(column, name)| {
        let cells = rows
            .iter()
            .map(|row| row.get(column).map_or("", |cell| cell.trim()));
        let is_null = |cell: &str| nulls.iter().any(|null| null == cell);
        let values = cells.map(|cell| if is_null(cell) { "" } else { cell }.to_owned());
        Place {
            name: name.clone(),
            values: values.collect(),
        }
    });
    (places.collect(), header_rows)
}

/// How many rows below the header may belong to it.
const MOST_HEADER_ROWS: usize = 2;

/// Returns whether a cell is a number or a date.
fn is_typed(cell: &String) -> bool {
    let cell = cell.trim();
    cell.parse::<f64>().is_ok() || forms_of(std::iter::once(cell), false).is_some()
}
