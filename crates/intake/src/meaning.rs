//! What a file means, where the options leave it open.
//!
//! Options say which column holds a field, the order of day and month, the forms of scores and dates, the words that
//! mean nothing, an encoding without a mark. Of what they leave open, those options are proposed that would decide it.
//! They are taken, and said, where the figures are only looked at; an import is refused with them, so that what it
//! stores is what somebody chose.

use std::collections::BTreeSet;
use std::fmt;

use anyhow::{anyhow, ensure};
use model::{Timestamp, Zone};

use crate::columns::TraitType;
use crate::date_forms::forms_of;
use crate::dates::{DateForm, Dates};
use crate::encoding::FileEncoding;
use crate::format::JsonFormat;
use crate::proposals::{Proposals, are_counts, of_dates, of_ratings, of_user_ids, survey_of};
use crate::reason::{argument, listed, quoted};
use crate::rules::{DATES, Field, ImportRules, Mapping, RecordKind};
use crate::sample::{Place, Sample};
use crate::scores::Scores;

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

/// A decision about how a file is read, which an option can make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Setting {
    Encoding(FileEncoding),
    SkipLines(u64),
    Map {
        field: &'static str,
        place: String,
    },
    DateForm(DateForm),
    Null(String),
    /// All records were created at an instant that nobody knows.
    Undated,
    /// Nothing shows where a field is.
    Unmapped(&'static str),
    /// Dates have a form that only the user knows.
    OtherForm,
}

impl Setting {
    /// Returns the option that makes the decision.
    pub(crate) fn option(&self) -> String {
        match self {
            Self::Encoding(encoding) => format!("--encoding {}", encoding.name()),
            Self::SkipLines(lines) => format!("--skip-lines {lines}"),
            Self::Map { field, place } => {
                format!("--map {}", argument(&format!("{field}={place}")))
            }
            Self::DateForm(form) => form.option(),
            Self::Null(text) => format!("--null={}", argument(text)),
            Self::Undated => "--created DATE".to_owned(),
            Self::Unmapped(field) => format!("--map {field}=\"…\""),
            Self::OtherForm => r#"--date-format "…""#.to_owned(),
        }
    }

    /// Makes the decision.
    pub(crate) fn apply(self, rules: &mut ImportRules) {
        match self {
            Self::Encoding(encoding) => rules.encoding = Some(encoding),
            Self::SkipLines(lines) => rules.skip_lines = Some(lines),
            Self::Map { field, place } => rules.map.push(Mapping {
                field: field.to_owned(),
                place,
            }),
            Self::DateForm(form) => rules.dates.forms.push(form),
            Self::Null(text) => rules.nulls.push(text),
            Self::Undated => rules.created = Some(UNDATED),
            Self::Unmapped(_) | Self::OtherForm => {}
        }
    }
}

/// The instant of records whose instants nobody knows.
const UNDATED: Timestamp = Timestamp::EPOCH;

/// What is decided of a file, and what is open.
pub(crate) struct Meaning {
    /// The options, completed by what is decided.
    pub(crate) rules: ImportRules,
    /// What is decided without an option, or open.
    choices: Vec<Vec<Vec<Setting>>>,
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
            choices: Vec::new(),
            lacking: Vec::new(),
            reasons: Vec::new(),
            said: Vec::new(),
            notes: Vec::new(),
            survey: None,
            has_labels: false,
        }
    }

    /// Decides what the options leave open of fields, dates, scores, and words for nothing. `lack` says that fields
    /// are lacking, and `format` is that of JSON; in a document, as services write, records may all be displays that
    /// nobody answered.
    ///
    /// # Errors
    ///
    /// Fails with [`Undecided`] if something is not clear, or the options do not allow to decide it.
    pub(crate) fn decide(
        &mut self,
        sample: &Sample,
        format: Option<&JsonFormat>,
        lack: impl Fn(&[&str]) -> String,
    ) -> anyhow::Result<()> {
        let is_document = matches!(format, Some(JsonFormat::Documents(_)));
        let are_columns = format.is_none();
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
            if found.best.is_empty() && is_document {
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
        let is_clear = self.choices.iter().all(|choices| is_clear(choices));
        if is_clear && (self.rules.guesses || self.choices.is_empty()) {
            return Ok(());
        }
        let lack = (!self.lacking.is_empty()).then(|| lack(&self.lacking));
        let reasons = lack.iter().chain(&self.reasons).map(String::as_str);
        Err(anyhow!(Undecided {
            reason: reasons.collect::<Vec<_>>().join("; "),
            options: self.options(),
        }))
    }

    /// Takes the first of these choices if it is clear, which is said in these words, and notes otherwise what is open,
    /// for this reason unless fields are lacking.
    pub(crate) fn take(
        &mut self,
        choices: Vec<Vec<Setting>>,
        reason: Option<String>,
        words: String,
    ) {
        if is_clear(&choices) {
            for setting in choices.iter().flatten() {
                setting.clone().apply(&mut self.rules);
            }
            self.said.push(words);
        }
        self.reasons.extend(reason);
        self.choices.push(choices);
    }

    /// Decides from where a field is read that nothing is called like.
    fn decide_place(&mut self, field: &'static str, found: &Proposals) {
        self.lacking.push(field);
        let is_unknown = found.best.is_empty();
        let unknown = is_unknown.then(|| vec![Setting::Unmapped(field)]);
        let choices = found.best.iter().map(|place| vec![place.setting(field)]);
        let words = format!("{field} from {}", found.in_words());
        self.take(choices.chain(unknown).collect(), None, words);
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
            let choices = vec![vec![place.setting("rating")]];
            self.take(choices, Some(words.clone()), words);
        } else if self.has_labels {
            self.said.push(words);
        }
        Ok(())
    }

    /// Decides where the instants of responses are, and the forms of all dates.
    fn decide_created(&mut self, found: &Proposals, others: &[Place]) {
        self.lacking.push("created");
        let mut choices = Vec::new();
        for place in &found.best {
            let sets = self.form_sets(place, others).into_iter();
            choices.extend(sets.map(|forms| [vec![place.setting("created")], forms].concat()));
        }
        let mut words = format!("created from {}{}", found.in_words(), in_words(&choices));
        if let Some(place) = found.unfitting.as_ref().filter(|_| choices.is_empty()) {
            // Another date for all records would be wrong, if this column has their dates.
            self.reasons.push(place.is_not(KNOWN_DATES));
            choices.push(vec![place.setting("created"), Setting::OtherForm]);
        } else if choices.is_empty() {
            "no dates".clone_into(&mut words);
            choices.push(vec![Setting::Undated]);
        }
        self.take(choices, None, words);
    }

    /// Decides the forms of dates whose places are known.
    fn decide_forms(&mut self, dates: &[Place]) {
        let Some((first, others)) = dates.split_first() else {
            return;
        };
        let mut choices = self.form_sets(first, others);
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
        if choices.is_empty() && first.texts().nth(1).is_some() && is_none_read() {
            choices.push(vec![Setting::OtherForm]);
            reason = Some(first.is_not(KNOWN_DATES));
        }
        if choices.iter().any(|forms| !forms.is_empty()) {
            let words = format!("dates{}", in_words(&choices));
            self.take(choices, reason, words);
        }
    }

    /// Returns the sets of forms that read the dates of a place; one that is empty if an option names their forms, or
    /// they need none. The dates of others are read, too, if their form is clear.
    fn form_sets(&self, place: &Place, others: &[Place]) -> Vec<Vec<Setting>> {
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
            dates.forms.into_iter().map(Setting::DateForm).collect()
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
        let settings = words.into_iter().map(|word| Setting::Null(word.to_owned()));
        self.take(
            vec![settings.collect()],
            Some(format!("{list} among numbers or dates may mean nothing")),
            format!("{list} as nothing"),
        );
    }

    /// Returns the options that would decide everything, one line for each combination of what is open.
    fn options(&self) -> Vec<String> {
        const MOST: usize = 6;
        let mut lines = vec![Vec::new()];
        for choices in &self.choices {
            let longer = lines.iter().flat_map(|line| {
                choices.iter().map(|settings| {
                    let options = settings.iter().map(Setting::option);
                    line.iter().cloned().chain(options).collect()
                })
            });
            lines = longer.take(MOST).collect();
        }
        lines
            .into_iter()
            .map(|line: Vec<_>| line.join(" "))
            .collect()
    }
}

/// Returns whether there is one choice, which needs nothing that only the user knows.
fn is_clear(choices: &[Vec<Setting>]) -> bool {
    let is_known =
        |setting: &Setting| !matches!(setting, Setting::Unmapped(_) | Setting::OtherForm);
    matches!(choices, [settings] if settings.iter().all(is_known))
}

/// Returns the forms of dates of the first choice, worded to follow what has them.
fn in_words(choices: &[Vec<Setting>]) -> String {
    let forms = choices
        .first()
        .into_iter()
        .flatten()
        .filter_map(|setting| match setting {
            Setting::DateForm(form) => Some(form.name()),
            _ => None,
        });
    let forms = forms.collect::<Vec<_>>().join(" and ");
    if forms.is_empty() {
        forms
    } else {
        format!(" as {forms}")
    }
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

    /// Returns the decision that a field is read from here.
    fn setting(&self, field: &'static str) -> Setting {
        Setting::Map {
            field,
            place: self.name.clone(),
        }
    }
}
