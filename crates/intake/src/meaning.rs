//! What a file means, where the options leave it open.
//!
//! Options say which column holds a field, the order of day and month, the forms of scores and dates, the words that
//! mean nothing, an encoding without a mark. Of what they leave open, those options are proposed that would decide it.
//! They are taken, and said, where the figures are only looked at; an import is refused with them, so that what it
//! stores is what somebody chose.

use std::collections::BTreeSet;
use std::fmt;

use anyhow::{anyhow, ensure};
use model::Zone;

use crate::date_forms::forms_of;
use crate::dates::{DateForm, Dates};
use crate::proposals::{
    Place, Proposals, Sample, are_counts, of_dates, of_ratings, of_user_ids, survey_of,
};
use crate::reason::{listed, quoted};
use crate::rules::{DATES, Field, ImportRules, Mapping, RecordKind, UNDATED, UNKNOWN};
use crate::scores::Scores;
use crate::table::TraitType;

/// A file whose meaning the options leave open.
#[derive(Debug)]
pub struct Undecided {
    /// What is open.
    reason: String,
    /// The options that would decide it, of which one line has to be chosen.
    pub options: Vec<String>,
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Undecided {}

/// The most candidates that are proposed.
const MOST: usize = 6;

/// Completes options in one way.
type Choice = Box<dyn Fn(&mut ImportRules)>;

/// What is decided of a file, and what is open.
pub(crate) struct Meaning {
    /// The options, completed by what is decided; the first candidate while something is open.
    pub(crate) rules: ImportRules,
    /// The options, completed in the other ways that the file allows.
    others: Vec<ImportRules>,
    /// The fields that nothing is called like.
    lacking: Vec<&'static str>,
    /// Why anything else is open.
    reasons: Vec<String>,
    /// What was decided without an option, in their words.
    pub(crate) said: Vec<String>,
    /// What else the user has to know of the file.
    pub(crate) notes: Vec<String>,
    /// The column or path that says which survey a record belongs to, if there is one.
    pub(crate) survey: Option<String>,
    /// Whether ratings may have labels, as in `10 - Extremely likely`.
    pub(crate) has_labels: bool,
}

impl Meaning {
    pub(crate) fn new(options: &ImportRules) -> Self {
        Self {
            rules: options.clone(),
            others: Vec::new(),
            lacking: Vec::new(),
            reasons: Vec::new(),
            said: Vec::new(),
            notes: Vec::new(),
            survey: None,
            has_labels: false,
        }
    }

    /// Decides what the options leave open of fields, dates, scores, and words for nothing. `lack` says that fields
    /// are lacking. JSON is a document or not; in one, as services write, records may all be displays that nobody answered.
    ///
    /// # Errors
    ///
    /// Fails with [`Undecided`] if something is not clear, or the options do not allow to decide it.
    pub(crate) fn decide(
        &mut self,
        given: &ImportRules,
        sample: &Sample,
        is_document: Option<bool>,
        lack: impl Fn(&[&str]) -> String,
    ) -> anyhow::Result<()> {
        let are_columns = is_document.is_none();
        let is_response = self.rules.kind == RecordKind::Responses;
        self.survey = survey_of(sample).map(|place| place.name.clone());
        let mut ratings: Vec<_> = sample.member("rating").cloned().into_iter().collect();
        let may_be_rated = ["rating", "answers"].map(|member| sample.member(member).is_some());
        let found = of_ratings(sample);
        // A file of displays that were dismissed needs no rating, but may have one under another name.
        let is_unrated = sample.member("dismissed").is_some() && !found.are_named;
        if is_response && may_be_rated == [false; 2] && !is_unrated {
            ensure!(
                !are_counts(sample),
                "its columns are counts of promoters, passives or detractors rather than responses, of which \
                 each is a row"
            );
            if let Some(place) = found.unfitting.as_ref().filter(|_| found.best.is_empty()) {
                self.reasons
                    .push(place.is_not("a whole number from 0 to 10"));
            }
            if found.best.is_empty() && is_document == Some(true) {
                self.notes.push(lack(&["rating"]));
            } else {
                self.decide_place("rating", &found);
            }
            ratings = found.best;
        } else if !is_response && sample.member("userId").is_none() {
            self.decide_place("userId", &of_user_ids(sample));
        }
        self.decide_scores(&ratings)?;
        let mut dates: Vec<_> = DATES
            .iter()
            .filter_map(|member| sample.member(member).cloned())
            .collect();
        let is_dated = self.rules.created.is_some() || sample.member("created").is_some();
        if is_response && !is_dated {
            let found = of_dates(sample, &self.rules.dates, are_columns);
            self.decide_created(&found, &dates);
            dates.extend(found.best);
        } else {
            self.decide_forms(&dates);
        }
        let flags = ["dismissed", "unsubscribed"];
        let flags = flags.iter().filter_map(|member| sample.member(member));
        let typed_traits = sample.fields.iter().filter_map(|(field, place)| {
            let is_trait = matches!(field, Field::Trait(_));
            (is_trait && TraitType::of(place.texts()).is_some()).then_some(place)
        });
        let typed = ratings
            .iter()
            .chain(&dates)
            .chain(flags)
            .chain(typed_traits);
        self.decide_nulls(typed);
        if self.rules.folds_addresses()
            && let Some(place) = sample.member("userId")
            && place.texts().any(|text| text.contains('@'))
        {
            let words = format!("userId from {} in lower case", quoted(&place.name));
            self.said.push(words);
        }
        let candidates = [&self.rules].into_iter().chain(&self.others);
        let options: Vec<_> = candidates.map(|it| it.beyond(given)).collect();
        let is_clear = options.len() == 1 && self.rules.are_known();
        if is_clear && (given.guesses || options.iter().all(String::is_empty)) {
            return Ok(());
        }
        let lack = (!self.lacking.is_empty()).then(|| lack(&self.lacking));
        let reasons = lack.iter().chain(&self.reasons).map(String::as_str);
        Err(anyhow!(Undecided {
            reason: reasons.collect::<Vec<_>>().join("; "),
            options,
        }))
    }

    /// Completes the options in each of these ways. One alone that is known is said in these words; otherwise it is open
    /// for this reason, unless fields are lacking.
    pub(crate) fn take(&mut self, choices: &[Choice], reason: Option<String>, words: String) {
        let others = std::mem::take(&mut self.others);
        let before = std::iter::once(&self.rules).chain(&others);
        let completed = before.flat_map(|rules| {
            choices.iter().map(|choice| {
                let mut rules = rules.clone();
                choice(&mut rules);
                rules
            })
        });
        let mut candidates = completed.take(MOST);
        let first = candidates.next();
        self.others = candidates.collect();
        if let Some(first) = first {
            self.rules = first;
        }
        if choices.len() == 1 {
            self.said.push(words);
        }
        self.reasons.extend(reason);
    }

    /// Decides from where a field is read that nothing is called like.
    fn decide_place(&mut self, field: &'static str, found: &Proposals) {
        self.lacking.push(field);
        let names = found.best.iter().map(|place| &*place.name);
        let unknown = found.best.is_empty().then_some(UNKNOWN);
        let choices = names.chain(unknown).map(|name| mapped(field, name, &[]));
        let words = format!("{field} from {}", found.in_words());
        self.take(&choices.collect::<Vec<_>>(), None, words);
    }

    /// Decides whether ratings have labels; an option that names their column settles it.
    fn decide_scores(&mut self, ratings: &[Place]) -> anyhow::Result<()> {
        let Some((place, example)) = ratings
            .first()
            .and_then(|place| Some((place, place.texts().next()?)))
        else {
            return Ok(());
        };
        let scores = Scores::of(place.texts());
        let [name, example] = [&*place.name, example].map(quoted);
        ensure!(
            !scores.are_words(),
            "{name} has words, such as {example}, where ratings are whole numbers from 0 to 10"
        );
        self.has_labels = scores.have_labels();
        let words = format!("ratings with labels, such as {example}");
        if self.has_labels && !self.rules.maps("rating") && self.lacking.is_empty() {
            let choice = mapped("rating", &place.name, &[]);
            self.take(&[choice], Some(words.clone()), words);
        } else if self.has_labels {
            self.said.push(words);
        }
        Ok(())
    }

    /// Decides where the instants of responses are, and the forms of all dates.
    fn decide_created(&mut self, found: &Proposals, others: &[Place]) {
        self.lacking.push("created");
        let mut words = format!("created from {}", found.in_words());
        let mut choices = Vec::new();
        for place in &found.best {
            for forms in self.form_sets(place, others) {
                if choices.is_empty() {
                    words += &in_words(&forms);
                }
                choices.push(mapped("created", &place.name, &forms));
            }
        }
        if let Some(place) = found.unfitting.as_ref().filter(|_| choices.is_empty()) {
            // Another date for all records would be wrong, if this column has their dates.
            self.reasons.push(place.is_not(KNOWN_DATES));
            choices.push(mapped("created", &place.name, &[unknown_form()]));
        } else if choices.is_empty() {
            "no dates".clone_into(&mut words);
            choices.push(Box::new(|rules| rules.created = Some(UNDATED)));
        }
        self.take(&choices, None, words);
    }

    /// Decides the forms of dates whose places are known.
    fn decide_forms(&mut self, dates: &[Place]) {
        let Some((first, others)) = dates.split_first() else {
            return;
        };
        let mut sets = self.form_sets(first, others);
        let mut reason = first.texts().next().map(|example| {
            format!(
                "its dates have a form that is not named, as in {}",
                quoted(example)
            )
        });
        let is_none_read = || {
            !first
                .texts()
                .any(|text| self.rules.dates.read(text).is_ok())
        };
        // A single one is rejected, and says why.
        if sets.is_empty() && first.texts().nth(1).is_some() && is_none_read() {
            sets.push(vec![unknown_form()]);
            reason = Some(first.is_not(KNOWN_DATES));
        }
        if sets.iter().any(|forms| !forms.is_empty()) {
            let words = sets.first().map(|forms| in_words(forms));
            let choices = sets.into_iter().map(|forms| -> Choice {
                Box::new(move |rules| rules.dates.forms.extend(forms.clone()))
            });
            let words = format!("dates{}", words.unwrap_or_default());
            self.take(&choices.collect::<Vec<_>>(), reason, words);
        }
    }

    /// Returns the sets of forms that read the dates of a place; one that is empty if an option names their forms, or
    /// they need none. The dates of others are read, too, if their form is clear.
    fn form_sets(&self, place: &Place, others: &[Place]) -> Vec<Vec<DateForm>> {
        if !self.rules.dates.forms.is_empty() {
            return vec![Vec::new()];
        }
        let sets = forms_of(place.texts(), true).unwrap_or_default();
        let completed = sets.into_iter().map(|forms| {
            let mut dates = Dates {
                forms,
                zone: Zone::default(),
            };
            for other in others {
                let is_read = other.texts().all(|text| dates.read(text).is_ok());
                let found = forms_of(other.texts(), true).filter(|_| !is_read);
                if let Some([clear]) = found.as_deref() {
                    dates.forms.extend(clear.iter().cloned());
                }
            }
            dates.forms
        });
        completed.collect()
    }

    /// Decides which words mean nothing: those that stand among numbers or dates.
    fn decide_nulls<'a>(&mut self, typed: impl Iterator<Item = &'a Place>) {
        let words: BTreeSet<_> = typed.flat_map(Place::nulls).collect();
        if words.is_empty() {
            return;
        }
        let list = listed(&Vec::from_iter(&words));
        self.take(
            &[Box::new(move |rules| {
                rules
                    .nulls
                    .extend(words.iter().map(|word| (*word).to_owned()));
            })],
            Some(format!("{list} among numbers or dates may mean nothing")),
            format!("{list} as nothing"),
        );
    }
}

/// Reads a field from a place, whose dates have these forms.
fn mapped(field: &str, place: &str, forms: &[DateForm]) -> Choice {
    let [field, place] = [field, place].map(str::to_owned);
    let forms = forms.to_vec();
    Box::new(move |rules| {
        let (field, place) = (field.clone(), place.clone());
        rules.map.push(Mapping { field, place });
        rules.dates.forms.extend(forms.clone());
    })
}

/// A form of dates that only the user knows.
fn unknown_form() -> DateForm {
    DateForm::Format(UNKNOWN.to_owned())
}

/// Returns forms of dates, worded to follow what has them.
fn in_words(forms: &[DateForm]) -> String {
    let names: Vec<_> = forms.iter().map(DateForm::name).collect();
    if names.is_empty() {
        return String::new();
    }
    format!(" as {}", names.join(" and "))
}

/// What dates should be that have no known form.
const KNOWN_DATES: &str =
    "in a form of dates that is known: write it as 2026-01-31 08:30, or name its form";

impl Place {
    /// Says that its first value is not what it should be.
    fn is_not(&self, what: &str) -> String {
        let example = quoted(self.texts().next().unwrap_or_default());
        format!("{} has {example}, which is not {what}", quoted(&self.name))
    }
}
