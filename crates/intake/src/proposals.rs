//! Which columns or members may hold the ratings and the dates of responses: by their names first, then by what
//! they hold.

use crate::date_forms::{forms_of, is_time};
use crate::dates::Dates;
use crate::reason::quoted;
use crate::rules::{RecordKind, field_of};
use crate::sample::{Place, Sample};
use crate::scores::{Scores, rating};

/// What a name says, from the best. Names of the last rank say nothing.
type Rank = usize;

const UNRANKED: Rank = 100;

/// That of what is never proposed, but told from what is.
const NEVER: Rank = 101;

/// What may hold a field.
pub(crate) struct Proposals {
    /// Those that fit best, of which each is as good as the others.
    pub(crate) best: Vec<Place>,
    /// Others that would fit, too.
    others: Vec<Place>,
}

/// Returns whether a column of this name is a field, or may be one.
pub(crate) fn is_known_name(name: &str, kind: RecordKind) -> bool {
    let is_field = |field: &&str| field.eq_ignore_ascii_case(name);
    kind.members().iter().any(|field| is_field(&field))
        || field_of(kind, name).is_some()
        || rank_of_rating(name).is_some_and(|rank| rank < UNRANKED)
        || rank_of_date(name).is_some_and(|rank| rank < UNRANKED)
}

/// Returns whether a name says that it is a rating.
pub(crate) fn is_rating_name(name: &str) -> bool {
    rank_of_rating(name).is_some_and(|rank| rank < UNRANKED)
}

/// Returns whether a name says which survey a record belongs to, or of which type that is.
pub(crate) fn is_survey_name(name: &str) -> bool {
    let words = words(name);
    let begins = has_word(
        words.get(..1).unwrap_or_default(),
        "campaign survey form questionnaire",
    );
    let ends = words.last().is_some_and(|last| {
        "campaign survey form questionnaire name type title id"
            .split(' ')
            .any(|word| word == last)
    });
    begins && ends && words.len() <= 2
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
    words
        .iter()
        .any(|word| wanted.split(' ').any(|one| one == word))
}

/// Returns how much a name says that it is a rating; `None` if it says that it is something else.
fn rank_of_rating(name: &str) -> Option<Rank> {
    const CODES: &str = "group category segment type id";
    const OTHERS: &str = "ids class quarter month week day year date age count number no total seats version code \
        zip phone promoters passives detractors responses row rank duration seconds progress status latitude \
        longitude";
    let words = words(name);
    let is_code = has_word(&words, CODES);
    // A question has many words, of which any may be among the others.
    match rank_among(&words, &["nps", "score", "rating", "recommend likel"]) {
        Some(rank) if !is_code => Some(rank),
        _ => {
            let is_flag = has_word(words.get(..1)?, "is has was can");
            (!is_code && !is_flag && !has_word(&words, OTHERS)).then_some(UNRANKED)
        }
    }
}

/// Returns whether a name says that it is a question of another scale.
fn is_of_another_scale(name: &str) -> bool {
    rank_among(&words(name), &["csat ces effort satisf ease"]).is_some()
}

/// Returns how much a name says that it is the instant of a response; `None` if it says that it is another.
fn rank_of_date(name: &str) -> Option<Rank> {
    const OTHERS: &str = "birth dob updat modif expir renew signup export";
    const STARTS: &str = "start begin began sent deliver";
    let words = words(name);
    if rank_among(&words, &[OTHERS]).is_some() || words.last().is_some_and(|word| word == "id") {
        return None;
    }
    // What a response began with, or was asked by, is its date only if nothing says when it was answered.
    let early = rank_among(&words, &["creat", STARTS]).map(|rank| rank + 10);
    const ANSWERED: [&str; 5] = [
        "surveyed",
        "submi",
        "respon answer record",
        "end complet finish",
        "timestamp date time when",
    ];
    Some(
        early
            .or_else(|| rank_among(&words, &ANSWERED))
            .unwrap_or(UNRANKED),
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
    Proposals::of(fitting.collect())
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
    let counted = ["promoters", "passives", "detractors"];
    let is_count = |place: &&Place| {
        words(&place.name)
            .iter()
            .any(|word| counted.contains(&&**word))
    };
    sample.free.iter().filter(is_count).count() >= 2
}

/// Returns what may hold the dates, which have these forms if any are known.
pub(crate) fn of_dates(sample: &Sample, dates: &Dates) -> Proposals {
    let places = sample.free.iter().enumerate();
    let fitting = places.filter_map(|(at, place)| {
        let rank = rank_of_date(place.last_name())?;
        let next = sample.free.get(at + 1);
        let place = match next.filter(|next| are_times(next) && are_days(place)) {
            Some(next) => Place::joined(place, next),
            None => place.clone(),
        };
        let are_dates = if dates.forms.is_empty() {
            forms_of(place.texts(), rank < UNRANKED).is_some()
        } else {
            place.texts().next().is_some() && place.texts().all(|text| dates.read(text).is_ok())
        };
        are_dates.then_some((rank, place))
    });
    Proposals::of(fitting.collect())
}

/// Returns whether a place holds times of the day alone.
fn are_times(place: &Place) -> bool {
    let mut texts = place.texts().peekable();
    texts.peek().is_some() && texts.all(is_time)
}

/// Returns whether a place holds days without a time.
fn are_days(place: &Place) -> bool {
    place.texts().all(|text| !text.contains(':'))
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
