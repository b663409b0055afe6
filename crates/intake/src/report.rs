//! What an import has read: what was counted of its records, and what of its files is missing or not imported.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

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
    surveys: HashMap<String, u64>,
    /// The records of further surveys.
    other_surveys: u64,
    without_survey: u64,
}

impl RecordSummary {
    pub(crate) fn add(&mut self, outcome: Outcome, created: Timestamp, survey: Option<&str>) {
        self.records += 1;
        self.has_ratings |= matches!(outcome, Outcome::Rated(_));
        let (first, last) = self.period.unwrap_or((created, created));
        self.period = Some((first.min(created), last.max(created)));
        *self.count_of(survey) += 1;
    }

    /// Returns the count of a survey. The names of a hostile file must not fill the memory.
    fn count_of(&mut self, survey: Option<&str>) -> &mut u64 {
        const MAX_SURVEYS: usize = 1000;
        const MAX_NAME: usize = 200;
        let Some(name) = survey else {
            return &mut self.without_survey;
        };
        let beginning = name.get(..name.floor_char_boundary(MAX_NAME));
        let shown = beginning.unwrap_or_default();
        if self.surveys.len() >= MAX_SURVEYS && !self.surveys.contains_key(shown) {
            return &mut self.other_surveys;
        }
        self.surveys.entry(shown.to_owned()).or_default()
    }

    /// Returns whether a score would be one of several surveys, or of records with and without one.
    pub(crate) fn has_mixed_surveys(&self) -> bool {
        let without = usize::from(self.without_survey > 0);
        !self.surveys.is_empty() && self.surveys.len() + without > 1
    }

    /// Lists the surveys with their records, the largest first, if there are any.
    pub fn surveys(&self) -> Option<String> {
        const NAMED: usize = 5;
        let counts = self.surveys.iter();
        let mut largest_first: Vec<_> = counts
            .map(|(name, count)| (Reverse(*count), name))
            .collect();
        largest_first.sort();
        let (named, unnamed) = largest_first.split_at(largest_first.len().min(NAMED));
        let mut list: Vec<_> = named
            .iter()
            .map(|(Reverse(count), name)| format!("{} ({count})", quoted(name)))
            .collect();
        let of_unnamed = unnamed.iter().map(|(Reverse(count), _)| count);
        let others = of_unnamed.sum::<u64>() + self.other_surveys;
        for (what, count) in [("others", others), ("none", self.without_survey)] {
            if count > 0 {
                list.push(format!("{what} ({count})"));
            }
        }
        (!self.surveys.is_empty()).then(|| list.join(", "))
    }
}

/// How often members of a file occurred that are not imported.
#[derive(Default)]
pub(crate) struct IgnoredMembers {
    counts: BTreeMap<String, u64>,
    /// How often others did, once there were too many names.
    uncounted: u64,
}

impl IgnoredMembers {
    /// Counts members that are not imported. The names of a hostile file must not fill the memory, so
    /// they are shortened and limited in number.
    pub(crate) fn count(&mut self, names: Vec<String>, paths: &Paths) {
        const MAX_NAMES: usize = 10_000;
        for name in names {
            let Some(share) = paths.share_of(&name) else {
                continue;
            };
            let shown = format!("{}{share}", quoted(&name));
            if self.counts.len() < MAX_NAMES || self.counts.contains_key(&shown) {
                *self.counts.entry(shown).or_default() += 1;
            } else {
                self.uncounted += 1;
            }
        }
    }

    /// Returns the names of the members, quoted.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.counts.keys()
    }

    /// Returns whether a member of this name occurred.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.counts.contains_key(&quoted(name))
    }

    /// Lists the members that are not imported, the most frequent ones by name.
    pub(crate) fn list(&self) -> Option<String> {
        const SHOWN: usize = 20;
        let mut counts: Vec<_> = self.counts.iter().collect();
        counts.sort_by_key(|(_, count)| Reverse(**count));
        let (shown, unshown) = counts.split_at(counts.len().min(SHOWN));
        let mut list: Vec<_> = shown
            .iter()
            .map(|(name, count)| format!("{name} ({count})"))
            .collect();
        list.sort();
        let others = unshown.iter().map(|(_, count)| **count).sum::<u64>() + self.uncounted;
        if others > 0 {
            list.push(format!("and others ({others})"));
        }
        (!list.is_empty()).then(|| list.join(", "))
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
