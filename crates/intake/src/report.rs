//! What an import has read: what was counted of its records, and what of its files is missing or not imported.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use anyhow::bail;
use chrono::{DateTime, Datelike as _, TimeDelta, Utc};
use items::ResponseRecord;
use model::Timestamp;
use serde_json::value::RawValue;

use crate::ids::Repetition;
use crate::json_object::{JsonObject, elements, scalar};
use crate::names::without_period;
use crate::reason::{argument, quoted};
use crate::record::{answer, has_members};
use crate::rules::{ImportRules, RecordKind, Selection};

/// What an import has read.
#[derive(Debug, Default)]
pub struct Report {
    /// The response records, without those that repeat earlier ones.
    pub records: u64,
    /// How many are rated, with those that repeat earlier ones.
    pub(crate) rated: u64,
    /// When the first and the last display were created.
    pub period: Option<(Timestamp, Timestamp)>,
    /// Records that have the `id` and `created` of an earlier one, and do not count.
    pub repeated: u64,
    /// Those of them that replace a rated record of their file, which says something else.
    replacing: u64,
    /// Records that have the `id` of an earlier one, another `created`, and do count, if ids are compared.
    pub recreated: u64,
    /// How many are dated before 2000, or later than a day from now, and one of these dates.
    strange_dates: (u64, Option<Timestamp>),
    surveys: Counts,
    without_survey: u64,
    /// The records that `--where` does not select.
    pub skipped: u64,
    /// The column or path that says which survey a record belongs to.
    pub(crate) survey: Option<String>,
    /// Whether no page is known to be missing, and whatever the options name came.
    pub is_complete: bool,
    /// Whether a record says whose it is.
    pub has_people: bool,
    /// Whether records count without a date, because their file has none.
    pub is_undated: bool,
    /// What was missing or mixed: lines for the user.
    pub notes: Vec<String>,
    /// The names of columns and members that are not imported, quoted.
    pub(crate) ignored: BTreeSet<String>,
}

impl Report {
    /// Returns the names of the columns, and the paths of the members, that are not imported.
    pub fn not_imported(&self) -> impl Iterator<Item = &str> {
        self.ignored.iter().map(|quoted| quoted.trim_matches('"'))
    }

    /// Adds a record, which counts unless it repeats another.
    pub(crate) fn add(
        &mut self,
        record: &ResponseRecord,
        survey: Option<&str>,
        repetition: Repetition,
        rules: &ImportRules,
    ) {
        const MAX_SURVEYS: usize = 1000;
        const MAX_NAME: usize = 200;
        let created = record.created;
        self.rated += u64::from(record.outcome.rating().is_some());
        if repetition != Repetition::None {
            self.repeated += 1;
            self.replacing += u64::from(repetition == Repetition::Replacing);
            return;
        }
        self.records += 1;
        let (first, last) = self.period.unwrap_or((created, created));
        self.period = Some((first.min(created), last.max(created)));
        match survey {
            Some(name) => {
                let shown = name.get(..name.floor_char_boundary(MAX_NAME));
                self.surveys.add(shown.unwrap_or_default(), MAX_SURVEYS);
            }
            None => self.without_survey += 1,
        }
        // A date of all records is what somebody said, or none.
        if rules.created.is_none() && !self.is_undated && is_strange_date(created, rules.now) {
            let (count, example) = &mut self.strange_dates;
            *count += 1;
            example.get_or_insert(created);
        }
    }

    /// Warns of what was probably read in another way than it is meant.
    pub(crate) fn warnings(&self, rules: &ImportRules) -> impl Iterator<Item = String> {
        let surveys = self.warning_of_surveys(&rules.selection);
        let replaced = self.warning_of_replaced(rules.place_of("id").unwrap_or("id"));
        let warnings = [surveys, replaced, self.warning_of_dates()];
        warnings.into_iter().flatten()
    }

    /// Warns of surveys that are mixed, or that what was selected is absent.
    fn warning_of_surveys(&self, selection: &[Selection]) -> Option<String> {
        let place = self.survey.as_deref().unwrap_or_default();
        if selection.is_empty() && self.has_mixed_surveys() {
            let surveys = self.surveys().unwrap_or_default();
            let option = argument(&format!("{place}=…"));
            return Some(format!(
                "several surveys are mixed: {surveys}; --where {option} reads one"
            ));
        }
        let is_none = self.records == 0 && self.skipped > 0;
        is_none.then(|| "no record is what --where selects".to_owned())
    }

    /// Warns of records whose dates were probably read wrong.
    fn warning_of_dates(&self) -> Option<String> {
        let (count, example) = self.strange_dates;
        let day = DateTime::from(example?).date_naive();
        Some(format!(
            "{count} of {} records are dated before 2000 or later than tomorrow, such as {day}: are dates read as they \
             are meant?",
            self.records
        ))
    }

    /// Warns of answers that later ones of their file replace. `place` is where the id is.
    fn warning_of_replaced(&self, place: &str) -> Option<String> {
        let option = argument(&format!("userId={place}"));
        (self.replacing > 0).then(|| {
            format!(
                "rows with the id and date of one below them, which says something else, do not count ({}). If {} names \
                 people: --map {option}",
                self.replacing,
                quoted(place)
            )
        })
    }

    /// Returns whether a score would be one of several surveys, or of records with and without one.
    fn has_mixed_surveys(&self) -> bool {
        let surveys = self.surveys.names.len();
        let is_one = self.has_one_of_each() || self.are_waves();
        !is_one && surveys > 0 && surveys + usize::from(self.without_survey > 0) > 1
    }

    /// Returns whether the surveys are one, by month or quarter.
    fn are_waves(&self) -> bool {
        let surveys = self.surveys.names.keys();
        let names: BTreeSet<_> = surveys.map(|it| without_period(it)).collect();
        self.without_survey == 0 && names.len() == 1 && !names.contains(&None)
    }

    /// Returns whether each record names another survey: then the names are ids of the records.
    fn has_one_of_each(&self) -> bool {
        const SEVERAL: usize = 3;
        let names = &self.surveys.names;
        names.len() >= SEVERAL && names.values().all(|count| *count == 1)
    }

    /// Lists the surveys with their records, the largest first, if there are any.
    pub fn surveys(&self) -> Option<String> {
        const NAMED: usize = 5;
        if self.has_one_of_each() {
            return None;
        }
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

/// Returns whether a survey was hardly answered then: before 2000, or later than a day from now.
fn is_strange_date(created: Timestamp, now: Option<DateTime<Utc>>) -> bool {
    let created = DateTime::from(created);
    let is_late = |now| created > now + TimeDelta::days(1);
    created.year() < 2000 || now.is_some_and(is_late)
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
    /// Counts members that are not imported, as far as no option reads them.
    pub(crate) fn count(&mut self, names: Vec<String>, rules: &ImportRules) {
        const MAX_NAMES: usize = 10_000;
        for name in names {
            if let Some(share) = rules.share_of(&name) {
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

/// The paths of options, as far as no record has them.
pub(crate) struct UnseenPaths {
    paths: Vec<UnseenPath>,
    /// Whether they have been looked for in a record.
    are_searched: bool,
}

struct UnseenPath {
    path: String,
    /// Whether a field is mapped to it, or else it is kept.
    is_mapped: bool,
    /// Whether each file needs it.
    is_needed: bool,
    /// Whether records may lack it that are whole: it leads into `answers`, or a list without the question.
    may_be_absent: bool,
}

impl UnseenPaths {
    pub(crate) fn new(rules: &ImportRules) -> Self {
        const NEEDED: [&str; 3] = ["rating", "created", "userId"];
        let unseen = |path: &String, is_mapped, is_needed| UnseenPath {
            path: path.clone(),
            is_mapped,
            is_needed,
            may_be_absent: rules.kind == RecordKind::Responses && path.starts_with("answers."),
        };
        let mapped = rules.map.iter();
        let mapped = mapped.map(|it| unseen(&it.place, true, NEEDED.contains(&&*it.field)));
        let kept = rules.keep.iter().map(|path| unseen(path, false, false));
        Self {
            paths: mapped.chain(kept).collect(),
            are_searched: false,
        }
    }

    /// Looks for them in a record.
    pub(crate) fn look(&mut self, record: &JsonObject<'_>) {
        self.are_searched = true;
        self.paths.retain_mut(|it| {
            // What is wrong with a path rejects the record.
            let at = record.find(&it.path).unwrap_or_default();
            it.may_be_absent |= at
                .parent
                .is_some_and(|parent| parent.get().starts_with('['));
            at.found.is_none()
        });
    }

    /// Fails if a mapped path is absent from the head of a file, which suggests that it is mistyped. With several
    /// files, only what each needs is asked for: the ratings and instants of responses, and the ids of users.
    pub(crate) fn check(&self, is_only: bool) -> anyhow::Result<()> {
        let is_needed = |it: &&UnseenPath| it.is_needed || (is_only && it.is_mapped);
        let mut absent = self.paths.iter().filter(|it| !it.may_be_absent);
        match absent.find(is_needed) {
            Some(UnseenPath { path, .. }) if self.are_searched => {
                bail!("no record at its beginning has {} (--map)", quoted(path))
            }
            _ => Ok(()),
        }
    }

    /// Says which of them no record has had.
    pub(crate) fn missing(&self) -> Option<String> {
        let paths = self.paths.iter();
        let listed = paths.map(|it| {
            let option = if it.is_mapped { "--map" } else { "--keep" };
            format!("{} ({option})", quoted(&it.path))
        });
        let listed: Vec<_> = listed.filter(|_| self.are_searched).collect();
        (!listed.is_empty()).then(|| format!("no record has {}", listed.join(", ")))
    }
}

/// The questions of records that are rejected because they have answers but no rating.
#[derive(Default)]
pub(crate) struct Questions {
    rejected: u64,
    answers: BTreeMap<String, Answers>,
    /// How many answers belong to questions beyond those, or to none that can be named.
    others: u64,
}

/// What the answers to a question look like.
#[derive(Default)]
struct Answers {
    whole_numbers: u64,
    /// Those that may be ratings, and that `--map` finds among the record's own answers.
    ratings: u64,
    /// The least and the greatest whole number.
    range: Option<(i64, i64)>,
    texts: u64,
    others: u64,
}

impl Questions {
    /// Counts the answers of a record that is rejected, its own and those where `--map` looks.
    pub(crate) fn count(&mut self, answers: [Option<&RawValue>; 2]) {
        self.rejected += 1;
        let [own, named] = answers;
        for (answers, is_own) in [(own, true), (named, false)] {
            let Some(answers) = answers else { continue };
            let Ok(elements) = elements(answers.get()) else {
                self.others += u64::from(has_members(answers));
                continue;
            };
            for (id, value) in elements.into_iter().filter_map(answer) {
                match self.of_question(id) {
                    Some(answers) => answers.count(value, is_own),
                    None => self.others += 1,
                }
            }
        }
    }

    /// Returns the answers to a question. The ids of a hostile file must not fill the memory.
    fn of_question(&mut self, id: Option<Cow<'_, str>>) -> Option<&mut Answers> {
        const MAX_QUESTIONS: usize = 1000;
        const MAX_ID: usize = 200;
        let question = id.filter(|id| id.len() <= MAX_ID)?;
        if self.answers.len() >= MAX_QUESTIONS && !self.answers.contains_key(&*question) {
            return None;
        }
        Some(self.answers.entry(question.into_owned()).or_default())
    }

    /// Lists the questions, the most frequent ones first, if any record was rejected.
    pub(crate) fn lines(&self) -> Vec<String> {
        if self.rejected == 0 {
            return Vec::new();
        }
        let mut questions: Vec<_> = self.answers.iter().collect();
        questions.sort_by_key(|(_, answers)| Reverse(answers.total()));
        let (records, their) = match self.rejected {
            1 => ("record has", "its"),
            _ => ("records have", "their"),
        };
        let mut lines = vec![format!(
            "{} {records} answers but no rating, and a rating is never guessed; {their} questions are",
            self.rejected
        )];
        lines.extend(questions.into_iter().map(|(id, answers)| {
            let option = if answers.ratings > 0 && !id.contains(char::is_control) {
                format!(
                    "; if it is the rating: --map {}",
                    argument(&format!("rating=answers.{id}"))
                )
            } else {
                String::new()
            };
            format!("  {}: {answers}{option}", quoted(id))
        }));
        if self.others > 0 {
            lines.push(format!("  other answers: {}", self.others));
        }
        lines
    }
}

impl Answers {
    fn count(&mut self, value: Option<&RawValue>, is_own: bool) {
        let text = value.and_then(|value| scalar("value", value).ok());
        let number = text.as_deref().and_then(|text| text.parse::<i64>().ok());
        match (number, value) {
            (Some(number), _) => {
                let (least, greatest) = self.range.unwrap_or((number, number));
                self.range = Some((least.min(number), greatest.max(number)));
                self.whole_numbers += 1;
                self.ratings += u64::from(is_own && (0..=10).contains(&number));
            }
            (None, Some(value)) if value.get().starts_with('"') => self.texts += 1,
            _ => self.others += 1,
        }
    }

    fn total(&self) -> u64 {
        self.whole_numbers + self.texts + self.others
    }
}

/// As in "25 whole numbers 0–10, 3 texts".
impl fmt::Display for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = self.range.map(|range| match range {
            (least, greatest) if least == greatest => format!(" {least}"),
            (least, greatest) => format!(" {least}–{greatest}"),
        });
        let counts = [
            (
                self.whole_numbers,
                "whole number",
                range.unwrap_or_default(),
            ),
            (self.texts, "text", String::new()),
            (self.others, "other value", String::new()),
        ];
        let occurring = counts.into_iter().filter(|(count, ..)| *count > 0);
        for (n, (count, what, range)) in occurring.enumerate() {
            let comma = if n > 0 { ", " } else { "" };
            let s = if count == 1 { "" } else { "s" };
            write!(f, "{comma}{count} {what}{s}{range}")?;
        }
        Ok(())
    }
}
