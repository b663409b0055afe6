//! What an import has read: what was counted of its records, and what of its files is missing or not imported.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use model::{Outcome, Timestamp};

use crate::paths::Paths;
use crate::reason::{argument, quoted};
use crate::rules::Selection;

/// What an import has read.
#[derive(Debug, Default)]
pub struct Report {
    /// What was seen of its response records.
    pub summary: RecordSummary,
    /// The records that `--where` does not select.
    pub skipped: u64,
    /// The column or path that says which survey a record belongs to.
    pub(crate) survey: Option<String>,
    /// Whether no page is known to be missing, and whatever the options name came.
    pub is_complete: bool,
    /// Whether records count without a date, because their file has none.
    pub is_undated: bool,
    /// What was missing or mixed: lines for the user.
    pub notes: Vec<String>,
    /// The names of columns and members that are not imported, quoted.
    pub(crate) ignored: BTreeSet<String>,
}

impl Report {
    /// Returns the mapping by which the column or member of this name becomes a trait, if it is not imported.
    pub fn mapping_of_trait(&self, name: &str) -> Option<String> {
        let quoted_name = quoted(name);
        if self.ignored.contains(&quoted_name) {
            return Some(format!("traits.{name}"));
        }
        let is_alike = |found: &&String| found.eq_ignore_ascii_case(&quoted_name);
        let found = self.ignored.iter().find(is_alike)?;
        Some(format!("traits.{name}={}", found.trim_matches('"')))
    }

    /// Warns of surveys that are mixed, or that what was selected is absent.
    pub(crate) fn warning_of_surveys(&self, selection: &[Selection]) -> Option<String> {
        let place = self.survey.as_deref().unwrap_or_default();
        if selection.is_empty() && self.summary.has_mixed_surveys() {
            let surveys = self.summary.surveys().unwrap_or_default();
            let option = argument(&format!("{place}=…"));
            return Some(format!(
                "several surveys are mixed, and a score of them means nothing: {surveys}; --where {option} reads one"
            ));
        }
        let is_none = self.summary.records == 0 && self.skipped > 0;
        is_none.then(|| "no record is what --where selects".to_owned())
    }
}

/// What was seen of response records.
#[derive(Debug, Default)]
pub struct RecordSummary {
    /// The records, without those that repeat earlier ones.
    pub records: u64,
    /// Whether one of them is rated.
    pub(crate) has_ratings: bool,
    /// When the first and the last display were created.
    pub period: Option<(Timestamp, Timestamp)>,
    /// Records that have the `id` and `created` of an earlier one, and do not count.
    pub repeated: u64,
    /// Records that have the `id` of an earlier one, another `created`, and do count.
    pub recreated: u64,
    surveys: Counts,
    without_survey: u64,
}

impl RecordSummary {
    pub(crate) fn add(&mut self, outcome: Outcome, created: Timestamp, survey: Option<&str>) {
        const MAX_SURVEYS: usize = 1000;
        const MAX_NAME: usize = 200;
        self.records += 1;
        self.has_ratings |= matches!(outcome, Outcome::Rated(_));
        let (first, last) = self.period.unwrap_or((created, created));
        self.period = Some((first.min(created), last.max(created)));
        match survey {
            Some(name) => {
                let shown = name.get(..name.floor_char_boundary(MAX_NAME));
                self.surveys.add(shown.unwrap_or_default(), MAX_SURVEYS);
            }
            None => self.without_survey += 1,
        }
    }

    /// Returns whether a score would be one of several surveys, or of records with and without one.
    pub(crate) fn has_mixed_surveys(&self) -> bool {
        let surveys = self.surveys.names.len();
        surveys > 0 && surveys + usize::from(self.without_survey > 0) > 1
    }

    /// Lists the surveys with their records, the largest first, if there are any.
    pub fn surveys(&self) -> Option<String> {
        const NAMED: usize = 5;
        let (largest, others) = self.surveys.most_frequent(NAMED);
        let named = largest.iter().map(|(name, count)| (quoted(name), *count));
        let unnamed = [("others", others), ("none", self.without_survey)]
            .map(|(what, count)| (what.to_owned(), count));
        let list = named.chain(unnamed).filter(|(_, count)| *count > 0);
        let list: Vec<_> = list
            .map(|(name, count)| format!("{name} ({count})"))
            .collect();
        (!largest.is_empty()).then(|| list.join(", "))
    }
}

/// How often names occurred. Those of a hostile file must not fill the memory, so they are limited in number.
#[derive(Debug, Default)]
struct Counts {
    names: BTreeMap<String, u64>,
    /// How often others did, once there were too many names.
    uncounted: u64,
}

impl Counts {
    fn add(&mut self, name: &str, most: usize) {
        if let Some(count) = self.names.get_mut(name) {
            *count += 1;
        } else if self.names.len() < most {
            self.names.insert(name.to_owned(), 1);
        } else {
            self.uncounted += 1;
        }
    }

    /// Returns so many names with their counts, the most frequent ones first, and how often others occurred.
    fn most_frequent(&self, most: usize) -> (Vec<(&str, u64)>, u64) {
        let names = self.names.iter();
        let mut counts: Vec<_> = names.map(|(name, count)| (&**name, *count)).collect();
        counts.sort_by_key(|(_, count)| Reverse(*count));
        let others = counts.split_off(counts.len().min(most)).into_iter();
        (
            counts,
            others.map(|(_, count)| count).sum::<u64>() + self.uncounted,
        )
    }
}

/// How often members of a file occurred that are not imported.
#[derive(Default)]
pub(crate) struct IgnoredMembers(Counts);

impl IgnoredMembers {
    /// Counts members that are not imported, as far as no path reads them.
    pub(crate) fn count(&mut self, names: Vec<String>, paths: &Paths) {
        const MAX_NAMES: usize = 10_000;
        for name in names {
            if let Some(share) = paths.share_of(&name) {
                self.0.add(&format!("{}{share}", quoted(&name)), MAX_NAMES);
            }
        }
    }

    /// Returns the names of the members, quoted.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.0.names.keys()
    }

    /// Returns whether a member of this name occurred.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.names.contains_key(&quoted(name))
    }

    /// Lists the members that are not imported, the most frequent ones by name.
    pub(crate) fn list(&self) -> Option<String> {
        const SHOWN: usize = 20;
        let (mut shown, others) = self.0.most_frequent(SHOWN);
        shown.sort_unstable();
        let list = shown
            .iter()
            .map(|(name, count)| format!("{name} ({count})"));
        let others = (others > 0).then(|| format!("and others ({others})"));
        let parts: Vec<_> = list.chain(others).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// The pages of an import: documents `{"data":[…],"page":{…}}`, of which one says that none follows.
#[derive(Default)]
pub(crate) struct ListPages {
    count: u64,
    has_last: bool,
}

impl ListPages {
    pub(crate) fn add(&mut self, is_last: bool) {
        self.count += 1;
        self.has_last |= is_last;
    }

    /// Says that a page is missing, if there are pages and none says that it is the last.
    pub(crate) fn missing(&self) -> Option<String> {
        (self.count > 0 && !self.has_last).then(|| {
            format!(
                "a page is missing: none of those that were read ({}) is the last; fetch all pages again",
                self.count
            )
        })
    }
}
