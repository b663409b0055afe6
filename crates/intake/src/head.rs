//! The head of a file: its columns, or the members of its records, with the values of the first megabyte.

use std::collections::HashMap;

use model::Rating;

use crate::json_object::{JsonObject, scalar};
use crate::names::{Flag, NULLS, is_null_word, is_rating_name};
use crate::reason::quoted;
use crate::rules::{Field, ImportRules, RecordKind, Selection};
use crate::scores::rating;

/// What the head of a file shows.
pub(crate) struct Head {
    pub(crate) form: HeadForm,
    /// Whether it is the whole file.
    pub(crate) is_whole: bool,
    /// Those that a field is read from, and those that one may be read from; of a few, both is true.
    pub(crate) columns: Vec<HeadColumn>,
    /// What records have, if others of the file are none.
    pub(crate) selection: Option<Selection>,
}

/// What the rows are in.
pub(crate) enum HeadForm {
    /// A table, whose columns are listed so.
    Table(String),
    /// JSON. In a document, as services write, records may all be displays that nobody answered.
    Json { is_document: bool },
}

/// A column, or a path to a member, and its values.
#[derive(Clone, Default)]
pub(crate) struct HeadColumn {
    pub(crate) name: String,
    /// Trimmed, one for each row; an absent one is empty.
    pub(crate) values: Vec<String>,
    /// The field that options or its name read from it; `None` if one may be read from it.
    pub(crate) field: Option<Field>,
}

impl Head {
    /// Returns what follows a count of rows, if the file has more of them.
    pub(crate) fn at_the_beginning(&self) -> &'static str {
        if self.is_whole {
            ""
        } else {
            " at the beginning"
        }
    }

    /// Returns the columns that may be flags: that of dismissals, and those that no field is read from.
    pub(crate) fn flags(&self) -> Vec<(String, Flag)> {
        let is_dismissal = |field: &Field| field.is_member("dismissed");
        let columns = self.columns.iter();
        let columns = columns.filter(|it| it.field.as_ref().is_none_or(is_dismissal));
        columns
            .filter_map(|it| Some((it.name.clone(), Flag::of(&it.name)?)))
            .collect()
    }

    /// Returns what a member is read from, if it is.
    pub(crate) fn member(&self, name: &str) -> Option<&HeadColumn> {
        let is_member = |field: &Field| field.is_member(name);
        let mut columns = self.columns.iter();
        columns.find(|column| column.field.as_ref().is_some_and(is_member))
    }

    /// Returns the columns that a field may be read from.
    pub(crate) fn free(&self) -> impl Iterator<Item = &HeadColumn> + Clone {
        self.columns.iter().filter(|column| column.field.is_none())
    }

    /// Keeps the selected rows, as far as their values stand in rows. What selects none shows nothing.
    pub(crate) fn select(&mut self, selection: &[Selection]) {
        for Selection { place, text } in selection {
            let mut columns = self.columns.iter();
            let Some(found) = columns.find(|it| it.name.eq_ignore_ascii_case(place)) else {
                continue;
            };
            let are_kept: Vec<_> = found.values.iter().map(|value| value == text).collect();
            if !are_kept.contains(&true) {
                continue;
            }
            for column in &mut self.columns {
                if column.values.len() == are_kept.len() {
                    let mut kept = are_kept.iter();
                    column.values.retain(|_| kept.next() == Some(&true));
                }
            }
        }
    }

    pub(crate) fn is_table(&self) -> bool {
        matches!(self.form, HeadForm::Table(_))
    }
}

impl HeadColumn {
    /// Returns the values of two columns, joined by a blank.
    pub(crate) fn joined(first: &Self, second: &Self) -> Self {
        let parts = [first, second].map(|column| column.values.iter());
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
            field: None,
        }
    }

    /// Returns what the field has that is read from it.
    pub(crate) fn of_field(mut self, field: Field, rules: &ImportRules) -> Self {
        let nulls = self.values.iter_mut();
        nulls
            .filter(|value| rules.is_null_of(&field, value))
            .for_each(String::clear);
        let field = Some(field);
        Self { field, ..self }
    }

    /// Returns the values that are there.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> + Clone {
        let values = self.values.iter().map(String::as_str);
        values.filter(|value| !value.is_empty() && !is_null_word(value))
    }

    /// Returns the values that are ratings.
    pub(crate) fn ratings(&self) -> Vec<u8> {
        let ratings = self.texts().filter_map(|text| rating(text, true).ok());
        ratings.map(Rating::value).collect()
    }

    pub(crate) fn has_texts(&self) -> bool {
        self.texts().next().is_some()
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

    /// Says that a value is not what it should be.
    pub(crate) fn is_not(&self, what: &str, is_one: impl Fn(&str) -> bool) -> String {
        let wrong = self.texts().find(|text| !is_one(text));
        let example = quoted(wrong.or(self.texts().next()).unwrap_or_default());
        format!("{} has {example}, which is not {what}", quoted(&self.name))
    }
}

/// Returns a day without the midnight that a spreadsheet holds with it.
pub(crate) fn without_midnight(day: &str) -> &str {
    day.strip_suffix(" 00:00:00").unwrap_or(day)
}

/// Joins a day and a time.
pub(crate) fn with_time(day: &str, time: &str) -> String {
    format!("{} {time}", without_midnight(day))
}

/// The members that say something of a person.
const FACTS: [&str; 5] = ["name", "email", "traits", "lastSeen", "unsubscribed"];

/// The members of the records of JSON.
#[derive(Default)]
pub(crate) struct Members {
    list: Vec<HeadColumn>,
    /// Where each name is in the list.
    positions: HashMap<String, usize>,
    /// How many records there have been.
    count: usize,
    /// Whether the records show that they are of the other kind.
    are_of_other_kind: bool,
}

impl Members {
    /// Returns whether the records are of the other kind. What has a rating under another name may still be a response
    /// of the user whom it names.
    pub(crate) fn are_refused(&self, kind: RecordKind) -> bool {
        let is_fact = |column: &HeadColumn| FACTS.contains(&&*column.name);
        let mut ratings = self.list.iter().filter(|it| is_rating_name(it.last_name()));
        let may_be_rated = kind == RecordKind::Responses
            && ratings.next().is_some()
            && !self.list.iter().any(is_fact);
        self.are_of_other_kind && !may_be_rated
    }

    /// Adds those of a record, unless there is enough: the names of a hostile file must not fill the memory.
    pub(crate) fn add(&mut self, record: &JsonObject<'_>, rules: &ImportRules) {
        const MAX_VALUES: usize = 1_000_000;
        self.are_of_other_kind = self.shows_other_kind(record, rules);
        if self.count * self.list.len() < MAX_VALUES {
            self.count += 1;
            self.add_within(record, "", 0, rules);
        }
    }

    /// Returns whether the records up to this one show that they are of the other kind. A file of responses may begin
    /// with what looks like users, because nobody responded yet.
    fn shows_other_kind(&self, record: &JsonObject<'_>, rules: &ImportRules) -> bool {
        let was_shown = self.are_of_other_kind;
        match rules.kind {
            _ if rules.map_decisive_field() => false,
            RecordKind::Responses if self.list.is_empty() => record.is_user(&FACTS),
            RecordKind::Responses => was_shown && !record.is_response(),
            RecordKind::Users => {
                was_shown || (!self.positions.contains_key("userId") && record.is_response())
            }
        }
    }

    /// Adds the members of an object, and those within them down to where no option looks for a field: each level is
    /// read again, so that hostile ones would take long.
    fn add_within(&mut self, members: &JsonObject<'_>, path: &str, depth: u8, rules: &ImportRules) {
        const DEEPEST: u8 = 30;
        for (name, value) in members.iter() {
            let place = format!("{path}{name}");
            let text = scalar(name, value).unwrap_or_default();
            let is_absent = text == "null" || rules.is_null(&text);
            self.add_value(&place, if is_absent { "" } else { &text });
            if value.get().starts_with('{')
                && depth < DEEPEST
                && let Ok(inner) = JsonObject::parse(value.get())
            {
                self.add_within(&inner, &format!("{place}."), depth + 1, rules);
            }
        }
    }

    /// Adds a value of a member, unless its name is empty, which no option can say. One that is no scalar is added as
    /// an absent value.
    fn add_value(&mut self, name: &str, value: &str) {
        const MAX_NAMES: usize = 20_000;
        if name.is_empty() {
            return;
        }
        if !self.positions.contains_key(name) && self.list.len() < MAX_NAMES {
            self.positions.insert(name.to_owned(), self.list.len());
            self.list.push(HeadColumn {
                name: name.to_owned(),
                ..HeadColumn::default()
            });
        }
        let at = self.positions.get(name);
        if let Some(column) = at.and_then(|at| self.list.get_mut(*at)) {
            column.values.resize(self.count - 1, String::new());
            column.values.push(value.trim().to_owned());
        }
    }

    /// Returns the path of the member within which services such as Elasticsearch and Singer write a record, if there is
    /// a rating: what is around it says something of the export.
    fn envelope(&self) -> Option<&'static str> {
        const ENVELOPES: [&str; 2] = ["_source.", "record."];
        let has_rating = |envelope: &&str| {
            let mut within = self
                .list
                .iter()
                .filter_map(|it| it.name.strip_prefix(envelope));
            within.any(is_rating_name)
        };
        ENVELOPES.into_iter().find(has_rating)
    }

    /// Returns what they show; `None` if there are none at all.
    pub(crate) fn into_head(
        mut self,
        is_document: bool,
        is_whole: bool,
        rules: &ImportRules,
    ) -> Option<Head> {
        for column in &mut self.list {
            column.values.resize(self.count, String::new());
        }
        let of = |name: &str| self.list.iter().find(|column| column.name == name).cloned();
        let members = rules.kind.members().iter().chain(&["answers"]);
        let fields = members.filter_map(|member| {
            let field = Field::Member(member);
            let column = match rules.place_of(member) {
                Some(place) => Some(of(place).unwrap_or_default()),
                None => of(member).or_else(|| of(&field.path(rules.kind, false))),
            };
            column.map(|column| column.of_field(field, rules))
        });
        let mut columns: Vec<_> = fields.collect();
        let envelope = self.envelope();
        // What others call `createdAt` may be the date of a response.
        let is_member = |name: &str| rules.kind.members().contains(&name) && name != "createdAt";
        let is_free = |column: &HeadColumn| {
            let name = &*column.name;
            let is_read = name.starts_with("user.") || rules.map.iter().any(|map| map.reads(name));
            let is_within = envelope.is_none_or(|envelope| name.starts_with(envelope));
            !is_member(name) && !is_read && is_within && !name.contains(char::is_control)
        };
        // In a stream of Singer, schemas and states stand between records.
        let is_of_singer = envelope == Some("record.")
            && of("type").is_some_and(|it| it.texts().any(|text| text == "RECORD"));
        let selection = is_of_singer.then(|| Selection {
            place: "type".to_owned(),
            text: "RECORD".to_owned(),
        });
        let is_empty = self.list.is_empty();
        columns.extend(self.list.into_iter().filter(is_free));
        let form = HeadForm::Json { is_document };
        (!is_empty).then_some(Head {
            form,
            is_whole,
            columns,
            selection,
        })
    }
}
