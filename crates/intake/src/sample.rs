//! What the head of a file holds, column by column or member by member.

use std::collections::HashMap;

use crate::rules::{Field, ImportRules};

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
const NULLS: [&str; 12] = [
    "NULL", "null", "Null", "NA", "N/A", "n/a", "#N/A", "None", "nan", "NaN", r"\N", "-",
];

/// Returns a day without the midnight that a spreadsheet holds with it.
pub(crate) fn without_midnight(day: &str) -> &str {
    day.strip_suffix(" 00:00:00").unwrap_or(day)
}

/// Joins a day and a time.
pub(crate) fn with_time(day: &str, time: &str) -> String {
    format!("{} {time}", without_midnight(day))
}

impl Place {
    /// Returns the values of two columns, joined by a blank.
    pub(crate) fn joined(first: &Self, second: &Self) -> Self {
        let parts = [first, second].map(|place| place.values.iter());
        let [firsts, seconds] = parts.clone();
        let there =
            |part: &'_ String| (!part.is_empty() && !is_null_word(part)).then(|| part.clone());
        let joined =
            firsts
                .zip(seconds)
                .map(|(first, second)| match (there(first), there(second)) {
                    (Some(day), Some(time)) => with_time(&day, &time),
                    (first, second) => first.or(second).unwrap_or_default(),
                });
        // Words for nothing are still among the values.
        let nulls = parts
            .into_iter()
            .flatten()
            .filter(|part| is_null_word(part));
        Self {
            name: format!("{}+{}", first.name, second.name),
            values: joined.chain(nulls.cloned()).collect(),
        }
    }

    /// Returns the values that are there.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> + Clone {
        let values = self.values.iter().map(String::as_str);
        values.filter(|value| !value.is_empty() && !is_null_word(value))
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
    /// Returns whether a record has this member.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.positions.contains_key(name)
    }

    /// Adds a value of a member, unless its name is empty, which no option can say. One that is no scalar is added as
    /// an absent value. The names of a hostile file must not fill the memory.
    pub(crate) fn add(&mut self, name: &str, value: &str) {
        const MAX_NAMES: usize = 20_000;
        if name.is_empty() {
            return;
        }
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

/// Returns the values of these columns.
pub(crate) fn columns_of(
    names: &[String],
    rows: &[Vec<String>],
    rules: &ImportRules,
) -> Vec<Place> {
    let places = names.iter().enumerate().map(|(column, name)| {
        let cells = rows
            .iter()
            .map(|row| row.get(column).map_or("", |cell| cell.trim()));
        let values = cells.map(|cell| if rules.is_null(cell) { "" } else { cell }.to_owned());
        Place {
            name: name.clone(),
            values: values.collect(),
        }
    });
    places.collect()
}

/// Returns whether a word stands for an absent value where numbers or dates are.
pub(crate) fn is_null_word(text: &str) -> bool {
    NULLS.contains(&text)
}

/// Returns whether so many of all are all but a few.
pub(crate) fn is_most(count: usize, all: usize) -> bool {
    count > 0 && count * 20 >= all * 19
}
