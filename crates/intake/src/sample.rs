//! What the head of a file holds, column by column or member by member.

use crate::date_forms::forms_of;

/// The values in the head of a file.
#[derive(Default)]
pub(crate) struct Sample {
    pub(crate) places: Vec<Place>,
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
    /// Returns what is in these columns of rows, and how many of the first rows belong to the header: they have
    /// no number or date in any column in which all others have one, of which there are two.
    pub(crate) fn of_rows(
        names: &[String],
        rows: &[Vec<String>],
        nulls: &[String],
    ) -> (Self, usize) {
        let header_rows = (1..=MOST_HEADER_ROWS).rev().find(|count| {
            let (first, others) = rows.split_at_checked(*count).unwrap_or_default();
            let typed = (0..names.len()).filter(|column| {
                let mut cells = others.iter().filter_map(|row| row.get(*column));
                let is_typed = |cell: &String| is_typed(cell);
                cells.clone().any(is_typed)
                    && cells.all(|cell| cell.trim().is_empty() || is_typed(cell))
            });
            let typed: Vec<_> = typed.collect();
            let mut cells = first
                .iter()
                .flat_map(|row| typed.iter().filter_map(|at| row.get(*at)));
            typed.len() >= 2 && !cells.any(is_typed)
        });
        let header_rows = header_rows.unwrap_or(0);
        let values = |column: usize| {
            let rows = rows.iter().skip(header_rows);
            let cells = rows.map(move |row| row.get(column).map_or("", |cell| cell.trim()));
            let without_nulls = cells.map(|cell| {
                if nulls.iter().any(|null| null == cell) {
                    ""
                } else {
                    cell
                }
            });
            without_nulls.map(str::to_owned).collect()
        };
        let places = names.iter().enumerate().map(|(column, name)| Place {
            name: name.clone(),
            values: values(column),
        });
        let places = places.collect();
        (Self { places }, header_rows)
    }

    pub(crate) fn place(&self, name: &str) -> Option<&Place> {
        self.places.iter().find(|place| place.name == name)
    }

    /// Returns the values of two columns, joined by a blank.
    pub(crate) fn joined(&self, columns: [usize; 2]) -> Option<Place> {
        let [first, second] = columns.map(|column| self.places.get(column));
        let [first, second] = [first?, second?];
        let pairs = first.values.iter().zip(&second.values);
        let values = pairs.map(|(first, second)| format!("{first} {second}").trim().to_owned());
        Some(Place {
            name: format!("{}+{}", first.name, second.name),
            values: values.collect(),
        })
    }

    /// Adds a value of a member. One that is no scalar is added as an absent value.
    pub(crate) fn add(&mut self, name: &str, value: &str) {
        let value = value.trim().to_owned();
        match self.places.iter_mut().find(|place| place.name == name) {
            Some(place) => place.values.push(value),
            None => self.places.push(Place {
                name: name.to_owned(),
                values: vec![value],
            }),
        }
    }
}

/// How many rows below the header may belong to it.
const MOST_HEADER_ROWS: usize = 2;

/// Returns whether a cell is a number or a date.
fn is_typed(cell: &String) -> bool {
    let cell = cell.trim();
    cell.parse::<f64>().is_ok() || forms_of(std::iter::once(cell), false).is_some()
}
