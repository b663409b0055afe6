//! What the records at the beginning of a file lack, and which members or columns may have it.

use std::collections::BTreeMap;

use crate::members::{JsonObject, OUTCOMES, scalar};
use crate::record::rating;
use crate::rules::ImportRules;
use crate::rules::dates::{common_formats, has_format, timestamp};
use crate::rules::kind::RecordKind;
use crate::rules::reason::argument;

/// A field that a file needs, and the members of which one is enough.
type Need = (&'static str, &'static [&'static str]);

const NEEDS: [Need; 2] = [("rating", &OUTCOMES), ("created", &["created"])];

/// The size of the beginning of a file, or of the input, in bytes of records.
pub(crate) const LENGTH: usize = 1 << 20;

/// The beginning of a file.
#[derive(Default)]
pub(crate) struct Beginning {
    lacking: Vec<Need>,
    candidates: BTreeMap<String, Values>,
    has_records: bool,
    bytes: usize,
}

/// What all values of a member or column are.
struct Values {
    are_ratings: bool,
    /// The formats that all have, as dates; `None` is the one that needs no option.
    formats: Vec<Option<String>>,
}

impl Beginning {
    /// Begins a file, which lacks everything that the options do not name.
    pub(crate) fn new(rules: &ImportRules) -> Self {
        let is_lacking = |(_, members): &Need| {
            let is_named = members.iter().any(|member| rules.maps(member));
            rules.kind == RecordKind::Responses && !is_named
        };
        Self {
            lacking: NEEDS.into_iter().filter(is_lacking).collect(),
            ..Self::default()
        }
    }

    /// Returns whether nothing is lacking.
    pub(crate) fn is_complete(&self) -> bool {
        self.lacking.is_empty()
    }

    /// Counts the bytes of a record; returns whether the beginning ends with it.
    pub(crate) fn ends_with(&mut self, record: &[u8]) -> bool {
        self.bytes += record.len();
        self.is_complete() || self.bytes > LENGTH
    }

    /// Looks for what is lacking.
    pub(crate) fn find(&mut self, has: impl Fn(&str) -> bool) {
        let is_found = |(_, members): &Need| members.iter().any(|member| has(member));
        self.lacking.retain(|need| !is_found(need));
    }

    /// Looks at the members of a record.
    pub(crate) fn see(&mut self, record: &JsonObject<'_>, rules: &ImportRules) {
        self.has_records = true;
        self.find(|member| record.value_of(member).is_some());
        if self.is_complete() {
            return;
        }
        for (name, value) in record.iter().filter(|(_, value)| value.get() != "null") {
            // The text of a list or an object fits nothing.
            let text = scalar(name, value).unwrap_or_else(|_| value.get().into());
            self.add(name, &text, rules);
        }
    }

    /// Adds a value of a member or column that may be what is lacking.
    pub(crate) fn add(&mut self, name: &str, text: &str, rules: &ImportRules) {
        const MAX_CANDIDATES: usize = 1000;
        // What others call `createdAt` may be the date of a response.
        let is_field = rules.kind.members().contains(&name) && name != "createdAt";
        let is_read = is_field || rules.map.iter().any(|mapping| mapping.reads(name));
        let is_known = self.candidates.contains_key(name);
        let has_room = is_known || self.candidates.len() < MAX_CANDIDATES;
        if text.is_empty() || is_read || name.contains(char::is_control) || !has_room {
            return;
        }
        let values = self.candidates.entry(name.to_owned());
        let values = values.or_insert_with(|| Values {
            are_ratings: true,
            formats: match rules.dates {
                Some(_) => vec![None],
                None => std::iter::once(None)
                    .chain(common_formats().map(Some))
                    .collect(),
            },
        });
        values.are_ratings &= rating(text).is_ok();
        values
            .formats
            .retain(|format| match (format, &rules.dates) {
                (Some(format), _) => has_format(text, format),
                (None, Some(dates)) => dates.canonical(text).is_ok(),
                (None, None) => timestamp(text).is_ok(),
            });
    }

    /// Says which columns a table lacks.
    pub(crate) fn of_table(&self, columns: &str) -> String {
        let fields: Vec<_> = self.lacking.iter().map(|(field, _)| *field).collect();
        let fields = fields.join(" and no column ");
        format!(
            "there is no column {fields}; the columns are {columns}{}",
            self.options()
        )
    }

    /// Says which members all records lack, if there are any records.
    pub(crate) fn of_records(&self) -> Option<String> {
        let members = self.lacking.iter().map(|(_, members)| match members {
            [first, second, third] => format!("{first}, {second} or {third}"),
            others => others.join(" or "),
        });
        let members: Vec<_> = members.collect();
        (self.has_records && !members.is_empty()).then(|| {
            let members = members.join(", and none has ");
            format!("no record at its beginning has {members}{}", self.options())
        })
    }

    /// Lists the options that read what is lacking, all if several do.
    fn options(&self) -> String {
        let (mut fitting, mut open, mut is_clear) = (Vec::new(), Vec::new(), true);
        for (field, _) in &self.lacking {
            let candidates = self.candidates.iter();
            let options = candidates.flat_map(|(name, values)| values.options(field, name));
            let options: Vec<_> = options.collect();
            is_clear &= options.len() == 1;
            if options.is_empty() {
                open.push(format!("--map {field}=\"…\""));
            } else {
                fitting.push(options.join(" or "));
            }
        }
        let fitting = fitting.join(if is_clear { " " } else { ", and " });
        let clauses = [("what fits:", fitting), ("name one with", open.join(" "))];
        let clauses = clauses.iter().filter(|(_, options)| !options.is_empty());
        let clauses = clauses.map(|(what, options)| format!("; {what} {options}"));
        clauses.collect()
    }
}

impl Values {
    /// Returns the options that read a field from the member or column of this name.
    fn options(&self, field: &str, name: &str) -> Vec<String> {
        let map = format!("--map {}", argument(&format!("{field}={name}")));
        if field == "rating" {
            return self.are_ratings.then_some(map).into_iter().collect();
        }
        let options = self.formats.iter().map(|format| match format {
            Some(format) => format!("{map} --date-format {}", argument(format)),
            None => map.clone(),
        });
        options.collect()
    }
}
