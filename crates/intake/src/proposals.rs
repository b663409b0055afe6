//! Which columns or members may hold the ratings and the dates of responses, or name users: by their names first,
//! then by what they hold.

use std::collections::{HashMap, HashSet};

use model::UserId;

use crate::date_forms::{forms_of, is_time_of_day};
use crate::dates::Dates;
use crate::reason::quoted;
use crate::rules::{Field, ImportRules, RecordKind};
use crate::scores::{Scores, rating};

/// What a name says, from the best. Names of the last rank say nothing.
type Rank = usize;

const UNRANKED: Rank = 100;

/// That of what is never proposed, only recognized.
const NEVER: Rank = 1_000;

/// What is added to the rank of what few records have.
const SPARSE: Rank = 200;

/// What may hold a field.
pub(crate) struct Proposals {
    /// Those that fit best, of which each is as good as the others.
    pub(crate) best: Vec<Place>,
    /// Others that would fit, too.
    others: Vec<Place>,
    /// One that is called so, but holds something else.
    pub(crate) unfitting: Option<Place>,
    /// Whether the names of the best say what they are.
    pub(crate) are_named: bool,
}

/// Returns whether a column of this name is a field, or may be one.
pub(crate) fn is_known_name(name: &str, kind: RecordKind) -> bool {
    let is_date_name = rank_of_date(name).is_some_and(|rank| rank < UNRANKED);
    kind.has_field(name) || is_rating_name(name) || is_date_name
}

/// Returns whether a name says that it is a rating.
pub(crate) fn is_rating_name(name: &str) -> bool {
    rank_of_rating(name).is_some_and(|rank| rank < UNRANKED)
}

/// Returns the column or member that says which survey a record belongs to, or of which type that is: rather one that
/// tells several.
pub(crate) fn survey_of(sample: &Sample) -> Option<&Place> {
    const SURVEYS: &str = "campaign survey form questionnaire";
    const PARTS: &str = "campaign survey form questionnaire name type title id";
    let says_survey = |place: &&Place| {
        let words = words(&place.name);
        let [begins, ends] = [words.first(), words.last()];
        let is_among =
            |word: Option<&String>, wanted| word.is_some_and(|word| is_one_of(word, wanted));
        words.len() <= 2 && is_among(begins, SURVEYS) && is_among(ends, PARTS)
    };
    let are_several = |place: &&Place| {
        let mut texts = place.texts();
        let first = texts.next();
        first.is_some_and(|first| texts.any(|text| text != first))
    };
    let mut places = sample.free.iter().filter(says_survey);
    places.clone().find(are_several).or_else(|| places.next())
}

/// Returns the words of a name in lower case: `surveyed_at` and `Surveyed At` have the same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lowercase = false;
    for c in name.chars() {
        let begins = !c.is_alphanumeric() || (c.is_uppercase() && was_lowercase);
        if begins && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        was_lowercase = c.is_lowercase();
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    words
}

/// Returns the first of these groups of which a word has one of the beginnings.
fn rank_among(words: &[String], groups: &[&str]) -> Option<Rank> {
    let has = |beginning| words.iter().any(|word| word.starts_with(beginning));
    groups
        .iter()
        .position(|beginnings| beginnings.split(' ').any(has))
}

/// Returns whether one of the words is among these.
fn has_word(words: &[String], wanted: &str) -> bool {
    words.iter().any(|word| is_one_of(word, wanted))
}

fn is_one_of(word: &str, wanted: &str) -> bool {
    wanted.split(' ').any(|one| one == word)
}

/// The words of the question for NPS.
const QUESTION: &str = "recommend likel";

/// Returns how much a name says that it is a rating; `None` if it says that it is something else.
fn rank_of_rating(name: &str) -> Option<Rank> {
    const OTHERS: &str = "id ids class group category segment type quarter month week day days year date time age \
        count number no total seats version code zip phone promoters passives detractors responses row rank duration \
        seconds ms progress status latitude longitude comment comments reason feedback text verbatim";
    let words = words(name);
    let is_question = rank_among(&words, &[QUESTION]).is_some();
    let is_flag = has_word(words.get(..1)?, "is has was can");
    // A question has many words, of which any may be among the others.
    if !is_question && (is_flag || has_word(&words, OTHERS)) {
        return None;
    }
    let is_alone = words.len() == 1;
    Some(match rank_among(&words, &["nps", "score", "rating"]) {
        Some(rank) if rank == 0 || is_alone => rank,
        _ if is_question => 3,
        Some(_) => 4,
        None => UNRANKED,
    })
}

/// Returns whether a name says that it is a question of another scale.
fn is_of_another_scale(name: &str) -> bool {
    let words = words(name);
    let is_question = rank_among(&words, &[QUESTION]).is_some();
    !is_question && rank_among(&words, &["csat ces effort satisf ease"]).is_some()
}

/// Returns how much a name says that it is the instant of a response; `None` if it says that it is another.
fn rank_of_date(name: &str) -> Option<Rank> {
    const OTHERS: &str = "birth birthday dob updated modified expires expiry renewal signup exported id no number phone \
        ms seconds duration contract trial subscription period quarter version";
    // What a response began with, or was asked by, is its date only if nothing says when it was answered.
    const EARLY: [&str; 2] = [
        "created creation",
        "start started begin began begun sent delivered",
    ];
    const ANSWERED: [&str; 5] = [
        "surveyed",
        "submit submitted submission",
        "responded response answered answer recorded",
        "end ended completed completion finished",
        "timestamp date datetime time when day",
    ];
    let words = words(name);
    let among = |groups: &[&str]| groups.iter().position(|group| has_word(&words, group));
    let early = among(&EARLY).map(|rank| rank + 10);
    let rank = early.or_else(|| among(&ANSWERED)).unwrap_or(UNRANKED);
    (!has_word(&words, OTHERS)).then_some(rank)
}

/// Returns whether numbers of this name may be dates, as of databases and spreadsheets.
fn may_be_numeric_date(name: &str) -> bool {
    has_word(
        &words(name),
        "created date datetime timestamp submitted surveyed answered at",
    )
}

/// Returns what may hold the ratings.
pub(crate) fn of_ratings(sample: &Sample) -> Proposals {
    let fitting = sample.free.iter().filter_map(|place| {
        let rank = match rank_of_rating(place.last_name())? {
            _ if is_of_another_scale(place.last_name()) => NEVER,
            rank => rank,
        };
        let scores = Scores::of(place.texts());
        let may_be = match rank {
            UNRANKED.. => scores.are_numbers() && !is_code(place),
            _ => scores.are_numbers() || scores.have_labels(),
        };
        may_be.then(|| (rank, place.clone()))
    });
    let is_named =
        |place: &&Place| is_rating_name(place.last_name()) && place.texts().next().is_some();
    Proposals {
        unfitting: sample.free.iter().find(is_named).cloned(),
        ..Proposals::of(fitting.collect())
    }
}

/// Returns whether the numbers are flags, small codes, or numbers of rows rather than ratings.
fn is_code(place: &Place) -> bool {
    let numbers: Vec<u8> = place
        .texts()
        .filter_map(|text| Some(rating(text, false).ok()?.value()))
        .collect();
    let is_count = numbers.len() > 1
        && numbers
            .array_windows()
            .all(|[last, next]| *next == last + 1);
    is_count || numbers.iter().all(|number| *number <= 3)
}

/// Returns whether the columns are counts of ratings.
pub(crate) fn are_counts(sample: &Sample) -> bool {
    let is_count = |place: &&Place| has_word(&words(&place.name), "promoters passives detractors");
    sample.free.iter().filter(is_count).count() >= 2
}

/// Returns what may hold the dates, which have these forms if any are known. Those of columns may have their time in
/// another one.
pub(crate) fn of_dates(sample: &Sample, dates: &Dates, are_columns: bool) -> Proposals {
    let time = sample
        .free
        .iter()
        .find(|place| are_columns && are_times(place));
    let most = sample.free.iter().map(|place| place.texts().count()).max();
    let mut unfitting = None;
    let mut fitting = Vec::new();
    for place in &sample.free {
        let name = place.last_name();
        let Some(rank) = rank_of_date(name) else {
            continue;
        };
        let place = match time.filter(|time| time.name != place.name && are_days(place)) {
            Some(time) if rank < UNRANKED => Place::joined(place, time),
            _ => place.clone(),
        };
        let are_dates = if dates.forms.is_empty() {
            forms_of(place.texts(), may_be_numeric_date(name)).is_some()
        } else {
            place.texts().next().is_some() && place.texts().all(|text| dates.read(text).is_ok())
        };
        if are_dates {
            // Records without an answer have no date of it.
            let is_sparse = place.texts().count() * 20 < most.unwrap_or(0) * 19;
            fitting.push((if is_sparse { rank + SPARSE } else { rank }, place));
        } else if place.texts().next().is_some() && place.texts().all(has_year) {
            unfitting.get_or_insert(place);
        }
    }
    Proposals {
        unfitting,
        ..Proposals::of(fitting)
    }
}

/// Returns what may name the users: what holds another valid id in each record.
pub(crate) fn of_user_ids(sample: &Sample) -> Proposals {
    // Ids of other things, as of a plan, are rarely different in each record, but the more a name says the better.
    const PEOPLE: &str = "user customer contact person people visitor member subscriber client";
    let rank = |place: &Place| {
        let words = words(place.last_name());
        let is_id = has_word(&words, "id uid uuid key");
        match &*words {
            [word] if is_one_of(word, "userid uid") => Some(0),
            _ if is_id && has_word(&words, PEOPLE) => Some(0),
            [_] if is_id => Some(1),
            _ if has_word(&words, "email mail") => Some(2),
            _ => None,
        }
    };
    let are_ids = |place: &Place| {
        let mut ids = HashSet::new();
        place
            .values
            .iter()
            .all(|id| UserId::is_valid(id) && ids.insert(id))
    };
    let own = sample.fields.iter().filter_map(|(field, place)| {
        (field.is_member("id") || field.is_member("email")).then_some(place)
    });
    let fitting = own.chain(&sample.free).filter(|place| are_ids(place));
    Proposals::of(
        fitting
            .filter_map(|place| Some((rank(place)?, place.clone())))
            .collect(),
    )
}

/// Returns whether a place holds times of the day alone, which are no durations.
fn are_times(place: &Place) -> bool {
    let words = words(&place.name);
    let is_time = has_word(&words, "time hour")
        && !has_word(&words, "to spent taken duration zone on elapsed");
    let mut texts = place.texts().peekable();
    is_time && texts.peek().is_some() && texts.all(is_time_of_day)
}

/// Returns whether a text has a year and another number, as dates of any language have.
fn has_year(text: &str) -> bool {
    let numbers = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|number| !number.is_empty());
    let is_year =
        |number: &str| number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
    numbers.clone().any(is_year) && numbers.count() > 1
}

/// Returns whether a place holds days without a time.
fn are_days(place: &Place) -> bool {
    place
        .texts()
        .all(|text| !without_midnight(text).contains(':'))
}

impl Proposals {
    fn of(mut fitting: Vec<(Rank, Place)>) -> Self {
        fitting.sort_by_key(|(rank, _)| *rank);
        let best = fitting.first().map_or(NEVER, |(rank, _)| *rank);
        let count = fitting.partition_point(|(rank, _)| *rank <= best && best < NEVER);
        let mut places: Vec<_> = fitting.into_iter().map(|(_, place)| place).collect();
        Self {
            others: places.split_off(count),
            best: places,
            unfitting: None,
            are_named: best < UNRANKED,
        }
    }

    /// Names the best, and the others that it is not.
    pub(crate) fn in_words(&self) -> String {
        let quoted_names = |places: &[Place]| {
            let names = places.iter().map(|place| quoted(&place.name));
            names.collect::<Vec<_>>().join(", ")
        };
        let best = quoted_names(&self.best);
        match &*self.others {
            [] => best,
            others => format!("{best} (not {})", quoted_names(others)),
        }
    }
}

/// The values in the head of a file.
#[derive(Default)]
pub(crate) struct Sample {
    /// The fields that are read, and their values. Those of answers are not known.
    pub(crate) fields: Vec<(Field, Place)>,
    /// The columns or members that a field may be read from.
    pub(crate) free: Vec<Place>,
}

/// A column, or a path to a member, and its values.
#[derive(Clone, Default)]
pub(crate) struct Place {
    pub(crate) name: String,
    /// Trimmed; an absent value is empty. Those of a table are one for each row.
    pub(crate) values: Vec<String>,
}

/// The words that stand for an absent value where numbers or dates are.
const NULLS: [&str; 12] = [
    "NULL", "null", "Null", "NA", "N/A", "n/a", "#N/A", "None", "nan", "NaN", r"\N", "-",
];

/// Returns a day without the midnight that a spreadsheet holds with it.
pub(crate) fn without_midnight(day: &str) -> &str {
    day.strip_suffix(" 00:00:00").unwrap_or(day)
}

/// Joins a day and a time.
pub(crate) fn with_time(day: &str, time: &str) -> String {
    format!("{} {time}", without_midnight(day))
}

impl Place {
    /// Returns the values of two columns, joined by a blank.
    pub(crate) fn joined(first: &Self, second: &Self) -> Self {
        let parts = [first, second].map(|place| place.values.iter());
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
        }
    }

    /// Returns the values that are there.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> + Clone {
        let values = self.values.iter().map(String::as_str);
        values.filter(|value| !value.is_empty() && !is_null_word(value))
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
    /// Returns the values of a member, if it is read.
    pub(crate) fn member(&self, name: &str) -> Option<&Place> {
        let mut fields = self.fields.iter();
        fields.find_map(|(field, place)| field.is_member(name).then_some(place))
    }
}

/// The members of records, and their values.
#[derive(Default)]
pub(crate) struct Places {
    pub(crate) list: Vec<Place>,
    /// Where each name is in the list.
    positions: HashMap<String, usize>,
}

impl Places {
    /// Returns whether a record has this member.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.positions.contains_key(name)
    }

    /// Adds a value of a member, unless its name is empty, which no option can say. One that is no scalar is added as
    /// an absent value. The names of a hostile file must not fill the memory.
    pub(crate) fn add(&mut self, name: &str, value: &str) {
        const MAX_NAMES: usize = 20_000;
        if name.is_empty() {
            return;
        }
        let value = value.trim().to_owned();
        if let Some(place) = self
            .positions
            .get(name)
            .and_then(|at| self.list.get_mut(*at))
        {
            place.values.push(value);
        } else if self.list.len() < MAX_NAMES {
            self.positions.insert(name.to_owned(), self.list.len());
            self.list.push(Place {
                name: name.to_owned(),
                values: vec![value],
            });
        }
    }
}

impl Places {
    /// Returns the values of the members that are fields, and of those that a field may be read from; `None` if there are
    /// none at all.
    pub(crate) fn sample(self, rules: &ImportRules) -> Option<Sample> {
        let places = self.list;
        let of = |name: &str| places.iter().find(|place| place.name == name).cloned();
        let members = rules.kind.members().iter().chain(&["answers"]);
        let values_of = |member: &&'static str| {
            let field = Field::Member(member);
            let place = match rules.place_of(member) {
                Some(place) => Some(of(place).unwrap_or_default()),
                None => of(member).or_else(|| of(&field.path(rules.kind, false))),
            };
            Some((field, place?))
        };
        let fields = members.filter_map(values_of).collect();
        // What others call `createdAt` may be the date of a response.
        let is_member = |name: &str| rules.kind.members().contains(&name) && name != "createdAt";
        let is_free = |place: &Place| {
            let name = &*place.name;
            let is_read = name.starts_with("user.") || rules.map.iter().any(|map| map.reads(name));
            !is_member(name) && !is_read && !name.contains(char::is_control)
        };
        let is_empty = places.is_empty();
        let free = places.into_iter().filter(is_free).collect();
        (!is_empty).then_some(Sample { fields, free })
    }
}

/// Returns the values of these columns.
pub(crate) fn columns_of(
    names: &[String],
    rows: &[Vec<String>],
    rules: &ImportRules,
) -> Vec<Place> {
    let places = names.iter().enumerate().map(|(column, name)| {
        let cells = rows
            .iter()
            .map(|row| row.get(column).map_or("", |cell| cell.trim()));
        let values = cells.map(|cell| if rules.is_null(cell) { "" } else { cell }.to_owned());
        Place {
            name: name.clone(),
            values: values.collect(),
        }
    });
    places.collect()
}

/// Returns whether a word stands for an absent value where numbers or dates are.
pub(crate) fn is_null_word(text: &str) -> bool {
    NULLS.contains(&text)
}
