//! Which fields the beginning of a file lacks, and which of its members or columns may hold them.

use std::collections::BTreeMap;

use crate::dates::common_formats;
use crate::json_object::{JsonObject, scalar};
use crate::parsed_record::rating;
use crate::reason::argument;
use crate::rules::{ImportRules, OUTCOMES, RecordKind};

/// A field that a file needs, and the members of which one is enough.
type Need = (&'static str, &'static [&'static str]);

const NEEDS: [Need; 2] = [("rating", &OUTCOMES), ("created", &["created"])];

/// The size of the beginning of a file, or of the input, in bytes of records.
pub(crate) const BEGINNING: usize = 1 << 20;

/// The search of a file for the fields that it needs, and for what may hold them under another name.
#[derive(Default)]
pub(crate) struct FieldSearch {
    lacking: Vec<Need>,
    /// The values of members or columns that are not imported.
    values: BTreeMap<String, Vec<String>>,
    has_records: bool,
    bytes: usize,
}

impl FieldSearch {
    /// Begins a file, which lacks everything that the options do not name.
    pub(crate) fn new(rules: &ImportRules) -> Self {
        let is_named = |(_, members): &Need| members.iter().any(|member| rules.maps(member));
        let needs = match rules.kind {
            RecordKind::Responses => NEEDS.to_vec(),
            RecordKind::Users => Vec::new(),
        };
        Self {
            lacking: needs.into_iter().filter(|need| !is_named(need)).collect(),
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
        self.is_complete() || self.bytes > BEGINNING
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
        for (name, value) in record.iter() {
            // The text of a list or an object fits nothing.
            let text = scalar(name, value).unwrap_or_else(|_| value.get().into());
            self.add(name, &text, rules);
        }
    }

    /// Adds a value of a member or column that may have what is lacking.
    pub(crate) fn add(&mut self, name: &str, text: &str, rules: &ImportRules) {
        // What others call `createdAt` may be the date of a response.
        let is_field = rules.kind.members().contains(&name) && name != "createdAt";
        let is_read = is_field || rules.map.iter().any(|mapping| mapping.reads(name));
        if !is_read && !["", "null"].contains(&text) && !name.contains(char::is_control) {
            let values = self.values.entry(name.to_owned()).or_default();
            values.push(text.to_owned());
        }
    }

    /// Says which columns a table lacks.
    pub(crate) fn refusal_of_table(&self, columns: &str, rules: &ImportRules) -> String {
        let fields: Vec<_> = self.lacking.iter().map(|(field, _)| *field).collect();
        format!(
            "there is no column {}; the columns are {columns}; try {}",
            fields.join(" and no column "),
            self.options(rules)
        )
    }

    /// Says which members all records lack, if there are any records.
    pub(crate) fn refusal_of_records(&self, rules: &ImportRules) -> Option<String> {
        (self.has_records && !self.is_complete()).then(|| {
            let members = self.lacking.iter().map(|(_, members)| members.join(" or "));
            format!(
                "no record at its beginning has {}; try {}",
                members.collect::<Vec<_>>().join(", and none has "),
                self.options(rules)
            )
        })
    }

    /// Lists the options that read what is lacking from members or columns whose values all fit.
    fn options(&self, rules: &ImportRules) -> String {
        let options = self.lacking.iter().map(|(field, _)| {
            let values = self.values.iter();
            let fitting = values.flat_map(|(name, texts)| {
                let map = format!("--map {}", argument(&format!("{field}={name}")));
                let ends = ends_of_options(field, texts, rules).into_iter();
                ends.map(move |end| format!("{map}{end}"))
            });
            match &*fitting.collect::<Vec<_>>() {
                [] => format!("--map {field}=\"…\""),
                fitting => fitting.join(" or "),
            }
        });
        options.collect::<Vec<_>>().join(" ")
    }
}

/// Returns how the options end that read a field from these values, if they fit.
fn ends_of_options(field: &str, texts: &[String], rules: &ImportRules) -> Vec<String> {
    let end = |format: String| match &*format {
        "" => format,
        format => format!(" --date-format {}", argument(format)),
    };
    let fit = |fits: &dyn Fn(&str) -> bool| {
        let all_fit = texts.iter().all(|text| fits(text));
        Vec::from_iter(all_fit.then(String::new))
    };
    match &rules.dates {
        _ if field == "rating" => fit(&|text| rating(text).is_ok()),
        Some(dates) => fit(&|text| dates.canonical(text).is_ok()),
        None => common_formats(texts).map(end).collect(),
    }
}
