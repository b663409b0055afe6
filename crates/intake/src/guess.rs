//! A guess is a completed set of options: [`guess`].
//!
//! Options say which column holds a field, the order of day and month, the forms of scores and dates, the words that
//! mean nothing, an encoding without a mark. What they leave open is completed by what the head of a file shows: by
//! names first (`names`), then by values. That is taken, and said, where the figures are only looked at; an import is
//! refused with it, so that what it stores is what somebody chose.

use std::collections::{BTreeSet, HashSet};
use std::fmt;

use anyhow::ensure;
use chrono::{DateTime, Utc};
use model::{UserId, Zone};

use crate::dates::{
    DateForm, Dates, Numbers, are_majority, contradiction, forms_of, has_year, is_most,
    is_time_of_day,
};
use crate::head::{Head, HeadColumn, HeadForm, without_midnight};
use crate::names::{
    OF_ANSWER, Rank, UNRANKED, is_count_name, is_count_of_ratings, is_date_name, is_nps_name,
    is_of_another_scale, is_of_person, is_question_name, is_rating_name, is_survey_name,
    is_time_name, numbers_of, rank_of_date, rank_of_rating, rank_of_user_id,
};
use crate::reason::{argument, listed, quoted};
use crate::row_kinds::{Questions, Tally, doubts, ids_of_people, repeated_ids};
use crate::rules::{
    DATES, Field, ImportRules, Mapping, Null, OUTCOMES, RecordKind, Selection, TRAITS, UNDATED,
    UNKNOWN,
};
use crate::scores::{Scores, rating};
use crate::table::TraitType;

/// A file whose meaning the options leave open.
#[derive(Debug)]
pub struct Undecided {
    given: Box<ImportRules>,
    /// What is open.
    reasons: Vec<String>,
    /// The options, each completed in another way that the file allows.
    candidates: Vec<ImportRules>,
}

impl Undecided {
    /// Nothing is completed yet.
    pub(crate) fn new(given: &ImportRules) -> Self {
        Self {
            given: Box::new(given.clone()),
            reasons: Vec::new(),
            candidates: vec![given.clone()],
        }
    }

    /// Returns what each candidate adds to the options, as on the command line. One of them has to be chosen.
    pub fn options(&self) -> Vec<String> {
        let candidates = self.candidates.iter();
        candidates.map(|it| it.beyond(&self.given)).collect()
    }

    /// Returns whether these options lack nothing that only the user knows.
    pub fn is_known(&self) -> bool {
        let is_dated = self.given.guesses || !self.is_undated();
        is_dated && self.candidates.iter().all(ImportRules::are_known)
    }

    /// Returns whether records have no dates.
    fn is_undated(&self) -> bool {
        self.first().created != self.given.created
    }

    /// Returns the options as they are completed in the first way.
    pub(crate) fn first(&self) -> &ImportRules {
        self.candidates.first().unwrap_or(&self.given)
    }

    pub(crate) fn into_first(self) -> ImportRules {
        self.candidates.into_iter().next().unwrap_or(*self.given)
    }

    /// Completes each candidate in all of these ways; in none if there are none.
    pub(crate) fn complete<T>(&mut self, ways: &[T], complete: impl Fn(&mut ImportRules, &T)) {
        const MOST: usize = 6;
        let completed = self.candidates.iter().flat_map(|options| {
            ways.iter().map(|way| {
                let mut options = options.clone();
                complete(&mut options, way);
                options
            })
        });
        if !ways.is_empty() {
            self.candidates = completed.take(MOST).collect();
        }
    }

    /// Completes each candidate in one way.
    pub(crate) fn each(&mut self, complete: impl Fn(&mut ImportRules)) {
        self.candidates.iter_mut().for_each(complete);
    }

    /// Adds why something is open.
    pub(crate) fn because(&mut self, reason: String) {
        self.reasons.push(reason);
    }

    /// Says what no option says.
    fn say(&mut self, words: &str) {
        self.each(|options| options.found.words.push(words.to_owned()));
    }

    /// Adds what the user has to know.
    pub(crate) fn note(&mut self, note: &str) {
        self.each(|options| options.found.notes.push(note.to_owned()));
    }

    /// Completes the place of a field, which may be any of these.
    fn map(&mut self, field: &str, places: &[&str]) {
        self.complete(places, |options, place| {
            options.map.push(Mapping::new(field, place));
        });
    }

    /// Completes the place of a field: each of the best is one, and the others are not.
    fn map_best(&mut self, field: &str, found: &Fitting<'_>) {
        let names = found.best.iter().map(|column| &*column.name);
        let unknown = found.best.is_empty().then_some(UNKNOWN);
        let places: Vec<_> = names.chain(unknown).collect();
        self.map(field, &places);
        self.name_rivals(found);
    }

    fn name_rivals(&mut self, found: &Fitting<'_>) {
        let names: Vec<_> = found.rivals.iter().map(|it| quoted(&it.name)).collect();
        if !names.is_empty() {
            self.say(&format!("not {}", names.join(", ")));
        }
    }

    /// Completes which of these texts stand for no value of a field, or of any.
    fn add_nulls(&mut self, texts: &BTreeSet<&str>, field: Option<&Field>, among: &str) {
        if texts.is_empty() {
            return;
        }
        let list = listed(&Vec::from_iter(texts));
        self.because(format!("{list} among {among} may mean nothing"));
        let nulls = texts.iter().map(|text| Null {
            field: field.cloned(),
            text: (*text).to_owned(),
        });
        self.each(|options| options.nulls.extend(nulls.clone()));
    }

    /// Returns whether there is one way to read the file, which may be taken.
    fn is_clear(&self) -> bool {
        let [only] = &*self.candidates else {
            return false;
        };
        only.are_known() && (self.given.guesses || only.beyond(&self.given).is_empty())
    }
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reasons.join("; "))
    }
}

impl std::error::Error for Undecided {}

/// Completes options by what the head of a file shows. Before there is a head, its encoding and its header may have
/// added to what is open.
///
/// # Errors
///
/// Fails with [`Undecided`] if the options leave open how the file is read, or says what it has instead of responses.
pub(crate) fn guess(mut head: Head, mut open: Undecided) -> anyhow::Result<ImportRules> {
    let survey = survey_of(&head).map(|column| column.name.clone());
    open.each(|options| options.found.survey.clone_from(&survey));
    if let (Some(selection), []) = (&head.selection, &*open.first().selection) {
        let Selection { place, text } = selection;
        open.because(format!("its records are those whose {place} is {text}"));
        open.each(|options| options.selection.push(selection.clone()));
    }
    let kind = open.first().kind;
    if kind == RecordKind::Responses {
        guess_question(&head, &mut open);
    } else if head.member("userId").is_none() {
        open.map_best("userId", &fitting_user_ids(&head));
    }
    head.select(&open.first().selection);
    if head.is_table() {
        join_times(&mut head);
    }
    let head = &head;
    let mut typed: Vec<_> = other_typed(head).collect();
    if kind == RecordKind::Responses {
        let ratings = guess_ratings(head, &mut open);
        guess_labels(&ratings, &mut open);
        let sentinels = ratings.iter().flat_map(|it| sentinels_of(it));
        let sentinels = sentinels.filter(|text| !open.given.is_null_of(&RATING, text));
        open.add_nulls(&sentinels.collect(), Some(&RATING), "ratings");
        refuse_others(head, ratings.first().copied(), &mut open)?;
        if let Some(column) = ratings.first() {
            for doubt in doubts(head, column) {
                open.note(&doubt);
            }
        }
        let flags = head.flags();
        open.each(|options| options.found.flags.clone_from(&flags));
        typed.extend(ratings);
    }
    let (dates, ambiguity) = guess_dates(head, &mut open);
    typed.extend(dates);
    let ids = ["id", "userId"].into_iter();
    typed.extend(ids.filter_map(|member| head.member(member)));
    if kind == RecordKind::Responses
        && let Some(repeated) = repeated_ids(head)
    {
        open.note(&repeated);
    }
    guess_people(head, &mut open);
    guess_traits(head, &mut open);
    let nulls = typed.iter().flat_map(|column| column.nulls()).collect();
    open.add_nulls(&nulls, None, "numbers, dates or ids");
    if open.first().folds_addresses()
        && let Some(column) = head.member("userId")
        && column.texts().any(|text| text.contains('@'))
    {
        let name = quoted(&column.name);
        open.say(&format!("userId from {name} in lower case"));
    }
    if open.is_clear() {
        return Ok(open.into_first());
    }
    let lack = lack(head, &lacking(head, &open));
    let first = ambiguity.into_iter().chain(lack);
    open.reasons = first.chain(open.reasons).collect();
    Err(open.into())
}

/// Refuses figures, and what is no rating.
///
/// # Errors
///
/// Says what the head shows instead.
fn refuse_others(
    head: &Head,
    ratings: Option<&HeadColumn>,
    open: &mut Undecided,
) -> anyhow::Result<()> {
    let counts = head.free().filter(|it| is_count_of_ratings(&it.name));
    ensure!(
        OUTCOMES.iter().any(|member| head.member(member).is_some()) || counts.count() < 2,
        "its columns are counts of promoters, passives or detractors rather than responses, of which each is a row"
    );
    if let Some(tally) = Tally::of(head, ratings) {
        let place = &tally.column.name;
        let name = quoted(place);
        ensure!(
            !tally.is_certain,
            "it seems to be a table of counts, of which each row would be one answer; if {name} says something else: \
             --map {}",
            argument(&format!("traits.{place}={place}"))
        );
        open.note(&format!(
            "if {name} counts answers, the figures are wrong: each row is one answer here"
        ));
    }
    if let Some(column) = head.member("rating") {
        ensure!(
            !Scores::of(column.texts()).are_words(),
            "{} has words, such as {}, where ratings are whole numbers from 0 to 10",
            quoted(&column.name),
            quoted(column.texts().next().unwrap_or_default())
        );
    }
    Ok(())
}

/// Completes which question is read, if answers to several are rows: the one for NPS, or any. An option that reads the
/// questions settles it.
fn guess_question(head: &Head, open: &mut Undecided) {
    if !open.first().selection.is_empty() {
        return;
    }
    let Some(questions) = Questions::of(head) else {
        return;
    };
    let (name, list) = (&questions.column.name, questions.list(head));
    if !questions.are_certain {
        let option = argument(&format!("{name}=…"));
        open.note(&format!(
            "several questions may be mixed: {list}; --where {option} reads one"
        ));
        return;
    }
    let keep = argument(&format!("traits.{name}={name}"));
    open.because(format!(
        "several questions are mixed: {list}; --map {keep} reads them all"
    ));
    open.complete(&questions.choices(), |options, text| {
        options.selection.push(Selection {
            place: name.clone(),
            text: (*text).to_owned(),
        });
    });
    open.say(&format!("{} has {list}", quoted(name)));
}

/// Completes where the traits are that are wanted.
fn guess_traits(head: &Head, open: &mut Undecided) {
    for name in open.given.wanted_traits.clone() {
        let place = format!("traits.{name}");
        let field = Some(Field::Trait(name.clone()));
        let is_there =
            open.first().maps(&place) || head.columns.iter().any(|column| column.field == field);
        let mut same = head.free().filter(|column| column.name == name);
        let mut alike = head.free().filter(|it| it.name.eq_ignore_ascii_case(&name));
        if let Some(column) = same.next().or_else(|| alike.next()).filter(|_| !is_there) {
            open.map(&place, &[&column.name]);
        }
    }
}

/// Completes where people are, if nothing tells their answers apart but other values: they have no dates.
fn guess_people(head: &Head, open: &mut Undecided) {
    let options = open.first();
    let is_free = !options.maps("id") && !options.maps("userId") && head.member("userId").is_none();
    if open.is_undated()
        && is_free
        && let Some(ids) = ids_of_people(head)
    {
        open.map("userId", &[&ids.name]);
    }
}

/// Completes where the ratings of responses are, and returns them.
fn guess_ratings<'a>(head: &'a Head, open: &mut Undecided) -> Vec<&'a HeadColumn> {
    let own = head.member("rating");
    let found = fitting_ratings(head, &open.given);
    // A file of displays that were dismissed needs no rating, but may have one under another name.
    let is_unrated = head.member("dismissed").is_some() && found.rank >= UNRANKED;
    if own.is_some() || head.member("answers").is_some() || is_unrated {
        let rival = own.and_then(|own| guess_nps_beside(found, own, open));
        return rival.or(own).into_iter().collect();
    }
    if found.best.is_empty() {
        let is_named = |it: &&HeadColumn| {
            is_rating_name(it.last_name()) && it.texts().any(|text| rating(text, false).is_err())
        };
        let unfitting = head.free().find(is_named);
        let is_rating =
            |text: &str| open.given.is_null_of(&RATING, text) || rating(text, true).is_ok();
        let reason = unfitting.map(|it| it.is_not("a whole number from 0 to 10", is_rating));
        let mut free = head.free();
        let other = free.find(|it| is_of_another_scale(it.last_name()) && !it.ratings().is_empty());
        let other = other.map(|it| format!("{} seems to be of another scale", quoted(&it.name)));
        open.reasons.extend(reason.or(other));
        // A document of an error has no dates.
        let options = open.first();
        let (dates, _) = fitting_dates(head, &options.dates);
        let is_given = options.created.is_some() || head.member("created").is_some();
        let is_dated = is_given || !dates.best.is_empty();
        if is_dated && matches!(head.form, HeadForm::Json { is_document: true }) {
            if let Some(note) = lack(head, &["rating"]) {
                open.note(&note);
            }
            return Vec::new();
        }
    }
    open.map_best("rating", &found);
    found.best
}

/// Completes which ratings are meant if those of the name `rating` are stars, beside others of the question for NPS,
/// which are returned. Where nobody can tell, because there are few ratings or some exceed stars, the others are named.
fn guess_nps_beside<'a>(
    found: Fitting<'a>,
    own: &HeadColumn,
    open: &mut Undecided,
) -> Option<&'a HeadColumn> {
    const STARS: u8 = 5;
    const MANY: usize = 20;
    let count = own.texts().count();
    let exceeds = |column: &HeadColumn| column.ratings().iter().any(|rating| *rating > STARS);
    if open.first().maps("rating") || own.ratings().is_empty() {
        return None;
    }
    let is_rival =
        |it: &&HeadColumn| is_nps_name(it.last_name()) && !it.name.contains(TRAITS) && exceeds(it);
    let rival = found.best.into_iter().chain(found.rivals).find(is_rival)?;
    let [name, stars] = [&rival.name, &own.name];
    let is_usual = is_most(rival.texts().count(), count);
    if count < MANY || exceeds(own) || !is_usual {
        open.say(&format!("rating, not {}", quoted(name)));
        return None;
    }
    let ways = if open.given.guesses {
        open.say(&format!("not {}", quoted(stars)));
        vec![&**name]
    } else {
        vec![&**name, &**stars]
    };
    open.map("rating", &ways);
    let [name, stars] = [name, stars].map(|name| quoted(name));
    open.because(format!("{stars} never exceeds {STARS}, but {name} does"));
    Some(rival)
}

/// Returns the numbers that statistics programs write where a rating is missing, if there are some.
fn sentinels_of(column: &HeadColumn) -> Vec<&'static str> {
    const SENTINELS: [&str; 5] = ["98", "99", "-99", "-1", "-2147483648"];
    let total = column.texts().count();
    // Of detractors, passives and promoters as −1, 0 and 1, none is a sentinel.
    let is_rating = |text: &str| rating(text, false).is_ok_and(|rating| rating.value() > 6);
    let are_ratings = column.texts().any(is_rating);
    let are_some = |sentinel: &&str| {
        let count = column.texts().filter(|text| text == sentinel).count();
        are_ratings && count >= 2 && count * 3 < total
    };
    SENTINELS.into_iter().filter(are_some).collect()
}

/// Completes whether ratings have labels; an option that names their column settles it.
fn guess_labels(ratings: &[&HeadColumn], open: &mut Undecided) {
    let Some(column) = ratings.first() else {
        return;
    };
    if !Scores::of(column.texts()).have_labels() {
        return;
    }
    let example = quoted(column.texts().next().unwrap_or_default());
    let words = format!("ratings with labels, such as {example}");
    if !open.first().maps("rating") {
        open.map("rating", &[&column.name]);
        open.because(words.clone());
    }
    open.say(&words);
    open.each(|options| options.found.has_labels = true);
}

/// Completes where the instants of responses are, and the forms of all dates. Returns the columns of dates, and the
/// reason if day and month cannot be told.
fn guess_dates<'a>(head: &'a Head, open: &mut Undecided) -> (Vec<&'a HeadColumn>, Option<String>) {
    let own = DATES.iter().filter_map(|member| head.member(member));
    let mut own: Vec<_> = own.collect();
    let options = open.first();
    let is_dated = options.created.is_some() || head.member("created").is_some();
    let (found, unfitting) = fitting_dates(head, &options.dates);
    if is_dated || options.kind == RecordKind::Users {
        let ambiguity = guess_forms(&own, open);
        name_rival_date(head, &found, open);
        return (own, ambiguity);
    }
    let mut ways = Vec::new();
    let mut ambiguity = None;
    for column in &found.best {
        let sets = form_sets(options, column, &own);
        ambiguity = ambiguity.or_else(|| two_readings(column, &sets));
        let places = sets.into_iter().map(|forms| (&*column.name, forms));
        ways.extend(places);
    }
    if let Some(column) = unfitting.filter(|_| ways.is_empty()) {
        // Another date for all records would be wrong, if this column has their dates.
        open.because(column.is_not(KNOWN_DATES, is_date));
        ways.push((&*column.name, vec![unknown_form()]));
    } else if ways.is_empty() {
        open.each(|options| options.created = Some(UNDATED));
        open.say("no dates");
    }
    open.complete(&ways, |options, (place, forms)| {
        options.map.push(Mapping::new("created", place));
        options.take_forms(forms);
    });
    open.name_rivals(&found);
    own.extend(found.best);
    (own, ambiguity)
}

/// Says that there is an instant of the answer beside the instants of the name `created`.
fn name_rival_date(head: &Head, found: &Fitting<'_>, open: &mut Undecided) {
    let options = open.first();
    let is_chosen = options.created.is_some() || options.maps("created");
    let is_own = options.kind == RecordKind::Responses && head.member("created").is_some();
    if let Some(rival) = found.best.first().filter(|_| is_own && !is_chosen)
        && found.rank < OF_ANSWER
    {
        open.say(&format!("created, not {}", quoted(&rival.name)));
    }
}

/// Completes the forms of dates whose places are known. Returns the reason if day and month cannot be told.
fn guess_forms(dates: &[&HeadColumn], open: &mut Undecided) -> Option<String> {
    let (first, others) = dates.split_first()?;
    let options = open.first();
    let mut sets = form_sets(options, first, others);
    let ambiguity = two_readings(first, &sets);
    let is_read = |text| options.dates.read(text).is_ok();
    // A single one is rejected, and says why.
    if sets.is_empty() && first.texts().nth(1).is_some() && !first.texts().any(is_read) {
        sets.push(vec![unknown_form()]);
        open.because(first.is_not(KNOWN_DATES, is_date));
    } else if ambiguity.is_none() && sets.iter().any(|forms| !forms.is_empty()) {
        let example = quoted(first.texts().next().unwrap_or_default());
        open.because(format!(
            "its dates have a form that is not named, as in {example}"
        ));
    }
    open.complete(&sets, |options, forms| options.take_forms(forms));
    ambiguity
}

/// Returns the sets of forms that read the dates of a column; one that is empty if an option names their forms, or they
/// need none. The dates of others are read, too, if their form is clear.
fn form_sets(
    options: &ImportRules,
    column: &HeadColumn,
    others: &[&HeadColumn],
) -> Vec<Vec<DateForm>> {
    if !options.dates.forms.is_empty() {
        return vec![Vec::new()];
    }
    let sets = forms_of(column.texts(), Numbers::All).unwrap_or_default();
    let completed = sets.into_iter().map(|forms| {
        let mut dates = in_utc(forms);
        for other in others {
            let is_read = other.texts().all(|text| dates.read(text).is_ok());
            let found = forms_of(other.texts(), Numbers::All).filter(|_| !is_read);
            if let Some([clear]) = found.as_deref() {
                dates.forms.extend(clear.iter().cloned());
            }
        }
        dates.forms
    });
    completed.collect()
}

fn in_utc(forms: Vec<DateForm>) -> Dates {
    let zone = Zone::default();
    Dates { forms, zone }
}

/// Says which days a date may be that each set of forms reads as another one.
fn two_readings(column: &HeadColumn, sets: &[Vec<DateForm>]) -> Option<String> {
    if sets.len() < 2 {
        return None;
    }
    if let Some(both) = contradiction(column.texts()) {
        return Some(both);
    }
    let readers: Vec<_> = sets.iter().cloned().map(in_utc).collect();
    let days_of = |text| -> Option<Vec<DateTime<Utc>>> {
        let days = readers.iter().map(|dates| dates.read(text).ok());
        days.map(|day| Some(day?.into())).collect()
    };
    column.texts().find_map(|text| {
        let days = days_of(text)?;
        let written = |form| -> Vec<String> {
            let days = days.iter();
            days.map(|day| day.format(form).to_string()).collect()
        };
        let is_one_year = BTreeSet::from_iter(written("%Y")).len() == 1;
        let form = if is_one_year { "%-d %B" } else { "%-d %B %Y" };
        let are_different = BTreeSet::from_iter(&days).len() == days.len();
        are_different.then(|| format!("{} may be {}", quoted(text), written(form).join(" or ")))
    })
}

/// Returns the columns of flags, and those of traits that are numbers or booleans.
fn other_typed(head: &Head) -> impl Iterator<Item = &HeadColumn> {
    let flags = ["dismissed", "unsubscribed"];
    let flags = flags.into_iter().filter_map(|member| head.member(member));
    let is_typed_trait = |column: &&HeadColumn| {
        matches!(column.field, Some(Field::Trait(_))) && TraitType::of(column.texts()).is_some()
    };
    flags.chain(head.columns.iter().filter(is_typed_trait))
}

/// Returns the fields that nothing is called like.
fn lacking(head: &Head, open: &Undecided) -> Vec<&'static str> {
    let is_completed =
        |field: &str| open.first().maps(field) || (field == "created" && open.is_undated());
    let is_lacking = |field: &&str| is_completed(field) && head.member(field).is_none();
    let fields = ["rating", "created", "userId"].into_iter();
    fields.filter(is_lacking).collect()
}

/// Says that the head has nothing of these fields, unless there are none.
fn lack(head: &Head, fields: &[&str]) -> Option<String> {
    (!fields.is_empty()).then(|| match &head.form {
        HeadForm::Table(names) => {
            let fields = fields.join(" and no column ");
            format!("there is no column {fields}; the columns are {names}")
        }
        HeadForm::Json { .. } => {
            let fields = fields.join(", and none has ");
            let members = fields.replace("rating", &OUTCOMES.join(" or "));
            format!("no record at its beginning has {members}")
        }
    })
}

/// A form of dates that only the user knows.
fn unknown_form() -> DateForm {
    DateForm::Format(UNKNOWN.to_owned())
}

fn is_date(text: &str) -> bool {
    forms_of(std::iter::once(text), Numbers::All).is_some()
}

/// What dates should be that have no known form.
const KNOWN_DATES: &str =
    "in a form of dates that is known: write it as 2026-01-31 08:30, or name its form";

const RATING: Field = Field::Member("rating");

/// The rank of what is never taken, only recognized.
const NEVER: Rank = 1_000;

/// What is added to the rank of what few records have.
const SPARSE: Rank = 200;

/// The columns that may hold a field.
struct Fitting<'a> {
    /// Those that fit best, of which each is as good as the others.
    best: Vec<&'a HeadColumn>,
    /// Others that would fit, too.
    rivals: Vec<&'a HeadColumn>,
    /// What the names of the best say.
    rank: Rank,
}

impl<'a> Fitting<'a> {
    fn of(mut fitting: Vec<(Rank, &'a HeadColumn)>) -> Self {
        fitting.sort_by_key(|(rank, _)| *rank);
        let best = fitting.first().map_or(NEVER, |(rank, _)| *rank);
        let count = fitting.partition_point(|(rank, _)| *rank <= best && best < NEVER);
        let mut columns: Vec<_> = fitting.into_iter().map(|(_, column)| column).collect();
        Self {
            rivals: columns.split_off(count),
            best: columns,
            rank: best,
        }
    }
}

/// Returns what says which survey a record belongs to, or of which type that is: rather one that tells several. Without
/// one, what names a question does, if it names one alone at the beginning: others may follow.
fn survey_of(head: &Head) -> Option<&HeadColumn> {
    let are_several = |column: &&HeadColumn| {
        let mut texts = column.texts();
        let first = texts.next();
        first.is_some_and(|first| texts.any(|text| text != first))
    };
    let mut surveys = head.free().filter(|column| is_survey_name(&column.name));
    let mut questions = head.free().filter(|it| is_question_name(it.last_name()));
    let several = surveys.clone().find(are_several);
    let survey = several.or_else(|| surveys.next());
    survey.or_else(|| questions.find(|column| !are_several(column)))
}

/// Returns what may hold the ratings.
fn fitting_ratings<'a>(head: &'a Head, given: &ImportRules) -> Fitting<'a> {
    let fitting = head.free().filter_map(|column| {
        let named = rank_of_rating(column.last_name())?;
        let rank = match named {
            _ if is_of_another_scale(column.last_name()) || is_count_name(&column.name) => NEVER,
            _ if is_of_person(&column.name) => NEVER,
            rank if rank < UNRANKED && are_flags(column) => UNRANKED - 1,
            rank => rank,
        };
        let sentinels = sentinels_of(column);
        let is_other = |text: &&str| {
            !given.is_null_of(&RATING, text) && (rank >= UNRANKED || !sentinels.contains(text))
        };
        let scores = Scores::of(column.texts().filter(is_other));
        let may_be = match rank {
            UNRANKED.. => scores.are_numbers() && (named < UNRANKED || !is_code(column)),
            _ => scores.are_numbers_or_words() || scores.have_labels(),
        };
        may_be.then_some((rank, column))
    });
    Fitting::of(fitting.collect())
}

/// Returns whether the numbers are nothing but 0 and 1, as of who is a promoter: another column is rather the rating.
fn are_flags(column: &HeadColumn) -> bool {
    let numbers = column.ratings();
    numbers.len() > 1 && numbers.iter().all(|number| *number <= 1)
}

/// Returns whether the numbers are flags, small codes, or numbers of rows rather than ratings.
fn is_code(column: &HeadColumn) -> bool {
    let numbers = column.ratings();
    let mut neighbours = numbers.array_windows();
    let is_count = numbers.len() > 1 && neighbours.all(|[last, next]| *next == last + 1);
    is_count || numbers.iter().all(|number| *number <= 3)
}

/// Joins each column of days with the one that has their times.
fn join_times(head: &mut Head) {
    let Some(time) = head.free().find(|it| are_times(it)).cloned() else {
        return;
    };
    for column in head.columns.iter_mut().filter(|it| it.field.is_none()) {
        if is_date_name(&column.name) && column.name != time.name && are_days(column) {
            *column = HeadColumn::joined(column, &time);
        }
    }
}

/// Returns what may hold the dates, which have these forms if any are known, and a column of another form.
fn fitting_dates<'a>(head: &'a Head, dates: &Dates) -> (Fitting<'a>, Option<&'a HeadColumn>) {
    let most = head.free().map(|column| column.texts().count()).max();
    let mut unfitting = None;
    let mut fitting = Vec::new();
    for column in head.free() {
        let name = column.last_name();
        let Some(rank) = rank_of_date(name) else {
            continue;
        };
        let are_dates = if dates.forms.is_empty() {
            forms_of(column.texts(), numbers_of(name)).is_some()
        } else {
            are_majority(column.texts(), |text| dates.read(text).is_ok())
        };
        if are_dates {
            // Records without an answer have no date of it.
            let is_sparse = column.texts().count() * 20 < most.unwrap_or(0) * 19;
            fitting.push((if is_sparse { rank + SPARSE } else { rank }, column));
        } else if are_majority(column.texts(), |text| {
            has_year(text) || (rank < UNRANKED && is_long(text))
        }) {
            unfitting.get_or_insert(column);
        }
    }
    (Fitting::of(fitting), unfitting)
}

/// Returns whether a number has more digits than those that are dates: it is of a finer clock.
fn is_long(text: &str) -> bool {
    text.len() > 13 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a column holds times of the day alone.
fn are_times(column: &HeadColumn) -> bool {
    is_time_name(&column.name) && column.has_texts() && column.texts().all(is_time_of_day)
}

/// Returns whether a column holds days without a time.
fn are_days(column: &HeadColumn) -> bool {
    let mut texts = column.texts();
    texts.all(|text| !without_midnight(text).contains(':'))
}

/// Returns what may name the users: what holds another valid id in each record.
fn fitting_user_ids(head: &Head) -> Fitting<'_> {
    let are_ids = |column: &&HeadColumn| {
        let mut ids = HashSet::new();
        let mut values = column.values.iter();
        values.all(|id| UserId::is_valid(id) && ids.insert(id))
    };
    let own = ["id", "email"].into_iter();
    let own = own.filter_map(|member| head.member(member));
    let fitting = own.chain(head.free()).filter(are_ids);
    let ranked = fitting.filter_map(|column| {
        let rank = rank_of_user_id(column.last_name())?;
        Some((rank, column))
    });
    Fitting::of(ranked.collect())
}
