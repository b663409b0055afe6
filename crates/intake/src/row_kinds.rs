//! What a row is, if it is not one answer of somebody: a count of answers, an answer to one of several questions, or an
//! answer of somebody whose id is called `id`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use model::Rating;

use crate::dates::{forms_of, is_majority, is_most};
use crate::head::{Head, HeadColumn};
use crate::names::{
    Flag, is_comment_name, is_count_name, is_date_name, is_event_name, is_id_name, is_of_person,
    is_plain_question_name, is_plain_rating_name, is_question_name, is_response_id_name,
    is_survey_name, may_be_count_name, names_nps, numbers_of, rank_of_date, rank_of_rating,
};
use crate::reason::{argument, quoted};
use crate::scores::{Scores, rating};

/// A column that may say how many answers each row is, or which share of them.
pub(crate) struct Tally<'a> {
    pub(crate) column: &'a HeadColumn,
    /// Whether the rows are ratings with how often they were given.
    pub(crate) is_certain: bool,
}

impl<'a> Tally<'a> {
    /// Finds it beside these ratings, or others that stand in order.
    pub(crate) fn of(head: &'a Head, ratings: Option<&HeadColumn>) -> Option<Self> {
        let in_order = head.free().find(|it| are_scale(&it.ratings()));
        let ratings = ratings.or(in_order).filter(|_| !is_of_people(head))?;
        // Of the months of a table, each is one of counts unless an option reads one.
        let is_read = |it: &HeadColumn| it.field.is_some() && may_be_count_name(&it.name);
        let are_others = head.columns.iter().any(is_read);
        let others = head.free().filter(|it| it.name != ratings.name);
        let mut tallies = others.filter_map(|column| {
            let is_named = is_count_name(&column.name);
            let may_be = is_named || (may_be_count_name(&column.name) && !are_others);
            let counts = counts(column).filter(|_| may_be)?;
            let is_certain = are_tallied(head, ratings, is_named);
            let is_any = is_named || is_certain;
            let may_follow = || is_named && !head.is_whole;
            (is_any && (counts.iter().any(|count| *count > 1.0) || may_follow()))
                .then_some(Self { column, is_certain })
        });
        tallies.next()
    }
}

/// Returns the numbers of a column that has nothing else, unless it numbers the rows.
fn counts(column: &HeadColumn) -> Option<Vec<f64>> {
    let is_numbering = (1..)
        .zip(column.texts())
        .all(|(n, text)| text == n.to_string());
    let count = |text: &str| text.trim_end_matches(['%', ' ']).parse().ok();
    let counts: Option<Vec<f64>> = column.texts().map(count).collect();
    counts.filter(|counts| !is_numbering && counts.iter().all(|count| *count >= 0.0))
}

/// Returns whether these ratings are each another one, in order.
fn are_scale(ratings: &[u8]) -> bool {
    const LEAST: usize = 5;
    ratings.len() >= LEAST && is_in_order(ratings)
}

fn is_in_order(ratings: &[u8]) -> bool {
    ratings.is_sorted_by(|a, b| a < b) || ratings.is_sorted_by(|a, b| a > b)
}

/// Returns whether rows have an id, a person or a comment.
fn is_of_people(head: &Head) -> bool {
    let own = ["id", "userId", "email", "name"];
    let is_of_one = |column: &HeadColumn| {
        let name = column.last_name();
        is_id_name(name) || is_comment_name(name)
    };
    own.iter().any(|member| head.member(member).is_some()) || head.free().any(is_of_one)
}

/// Returns whether the ratings stand as in a table of counts: in order where there are no dates, or several of them at
/// most dates, which are different if the counts are called so.
fn are_tallied(head: &Head, ratings: &HeadColumn, is_named: bool) -> bool {
    const AT_A_DATE: usize = 3;
    let rows = ratings.values.len();
    let Some(dates) = dates_of(head).filter(|dates| dates.len() == rows) else {
        return are_scale(&ratings.ratings());
    };
    let mut at_dates = BTreeMap::<&str, Vec<u8>>::new();
    for (date, text) in dates.iter().zip(&ratings.values) {
        let values = at_dates.entry(date).or_default();
        values.extend(rating(text, true).map(Rating::value));
    }
    let are_different = |values: &[u8]| BTreeSet::from_iter(values).len() == values.len();
    let is_tallied = |values: &&Vec<u8>| {
        let are_others = is_in_order(values) || (is_named && are_different(values));
        values.len() >= AT_A_DATE && are_others
    };
    is_majority(at_dates.values().filter(is_tallied).count(), at_dates.len())
}

/// Returns the instants of the rows, as they are written, if a column has them.
fn dates_of(head: &Head) -> Option<&[String]> {
    let is_dated = |column: &&HeadColumn| {
        let name = column.last_name();
        rank_of_date(name).is_some() && forms_of(column.texts(), numbers_of(name)).is_some()
    };
    let named = || head.free().find(is_dated);
    head.member("created").or_else(named).map(|it| &*it.values)
}

/// Returns the column of ids in which other rows repeat an id with other values: it names people rather than answers.
pub(crate) fn ids_of_people(head: &Head) -> Option<&HeadColumn> {
    let ids = head.member("id").filter(|_| head.is_table())?;
    let repeated = RepeatedIds::of(ids, None);
    // One that lacks a value is another one, too.
    let are_others = |[one, other]: [usize; 2]| {
        let mut columns = head.columns.iter();
        columns.any(|it| it.values.get(one) != it.values.get(other))
    };
    repeated.pairs.into_iter().any(are_others).then_some(ids)
}

/// A column that says to which question the answer of a row is, or of which kind its event.
pub(crate) struct Questions<'a> {
    pub(crate) column: &'a HeadColumn,
    /// The questions, or kinds, and how many rows each has.
    counts: BTreeMap<&'a str, u64>,
    /// Those that have ratings.
    pub(crate) rated: BTreeSet<&'a str>,
    /// Whether the rows of one answer show it, or its name, rather than the texts alone.
    pub(crate) are_certain: bool,
}

impl<'a> Questions<'a> {
    /// Finds them where most answers have several ratings that a column tells apart, or one of those that somebody gave
    /// within an hour is for NPS; where they are called so and have been answered at once, or as often; and where more
    /// than a fifth of all rows are of kinds without ratings, and they are called events, or follow one another.
    pub(crate) fn of(head: &'a Head) -> Option<Self> {
        let ratings = ratings_of(head)?;
        let dates = dates_of(head);
        let repeated: Vec<_> = keys(head).map(|ids| RepeatedIds::of(ids, dates)).collect();
        let found = head.free().filter_map(|column| {
            let name = column.last_name();
            let is_named = is_question_name(name);
            let are_numbers = Scores::of(column.texts()).are_numbers();
            let is_comment = is_comment_name(name) && !is_event_name(name);
            let is_other = are_numbers || is_comment || is_date_name(name);
            if std::ptr::eq(column, ratings) || (is_other && !is_named) {
                return None;
            }
            let questions = Self::in_column(column, ratings)?;
            let (counts, rated) = (&questions.counts, &questions.rated);
            let of_nps = rated.iter().filter(|text| names_nps(text)).count();
            let are_for_nps = counts.keys().all(|text| names_nps(text));
            let is_one_for_nps = of_nps > 0 && !are_for_nps;
            let least = counts.values().next().filter(|count| **count > 1);
            let are_as_many = counts.values().all(|count| Some(count) == least);
            let is_plain = is_plain_question_name(name) && !are_for_nps;
            let are_named = is_named && (is_plain || are_as_many);
            let are_at_once = repeated.iter().any(|it| it.differ_in(column));
            let are_of_one = || repeated.iter().any(|it| it.have_several(ratings, column));
            let are_often_unrated = questions.unrated() * 5 > counts.values().sum();
            let are_events = || repeated.iter().any(|it| it.have_events(ratings, column));
            // Numbers and dates of events are no kinds of them.
            let is_numbered = |text: &&str| text.contains(|c: char| c.is_ascii_digit());
            let are_kinds = is_event_name(name) && !counts.keys().all(is_numbered);
            let are_certain = if are_kinds {
                is_one_for_nps || are_often_unrated
            } else if is_named {
                are_at_once || is_one_for_nps
            } else {
                (are_at_once && is_one_for_nps)
                    || are_of_one()
                    || (are_often_unrated && are_events())
            };
            let may_be = is_one_for_nps && !is_survey_name(&column.name);
            let is_wanted = are_certain || may_be || are_named;
            let questions = Self {
                are_certain,
                ..questions
            };
            let fewest = Reverse(questions.counts.len());
            is_wanted.then_some(((are_certain, of_nps, is_named, fewest), questions))
        });
        found.max_by_key(|(rank, _)| *rank).map(|(_, it)| it)
    }

    /// Returns what a column tells apart if it has several texts, which repeat.
    fn in_column(column: &'a HeadColumn, ratings: &HeadColumn) -> Option<Self> {
        const MOST: usize = 50;
        let mut counts = BTreeMap::new();
        let mut rated = BTreeSet::new();
        for (text, value) in column.values.iter().zip(&ratings.values) {
            if text.is_empty() {
                continue;
            }
            *counts.entry(&**text).or_default() += 1;
            if rating(value, true).is_ok() {
                rated.insert(&**text);
            }
        }
        let are_several = (2..=MOST).contains(&counts.len()) && !rated.is_empty();
        are_several.then_some(Self {
            column,
            counts,
            rated,
            are_certain: false,
        })
    }

    /// Returns how many rows are of those that have no ratings at all.
    fn unrated(&self) -> u64 {
        let unrated = self
            .counts
            .iter()
            .filter(|(it, _)| !self.rated.contains(*it));
        unrated.map(|(_, count)| count).sum()
    }

    /// Returns those of which one is to be chosen: the only one that asks for a recommendation, or all with ratings.
    pub(crate) fn choices(&self) -> Vec<&'a str> {
        let of_nps: Vec<_> = self.rated.iter().filter(|it| names_nps(it)).collect();
        match *of_nps {
            [one] => vec![*one],
            _ => self.rated.iter().copied().collect(),
        }
    }

    /// Lists them with their answers.
    pub(crate) fn list(&self, head: &Head) -> String {
        const SHOWN: usize = 5;
        let counts = self.counts.iter();
        let shown = counts.map(|(text, count)| format!("{} ({count})", quoted(text)));
        let mut list: Vec<_> = shown.take(SHOWN).collect();
        list.extend((self.counts.len() > SHOWN).then(|| "…".to_owned()));
        list.join(", ") + head.at_the_beginning()
    }
}

/// Returns the ratings, as far as names and values tell before questions are told apart.
fn ratings_of(head: &Head) -> Option<&HeadColumn> {
    let of_name = |column: &&HeadColumn| {
        let rank = rank_of_rating(column.last_name()).filter(|_| !is_of_person(&column.name));
        rank.unwrap_or(usize::MAX)
    };
    let free = head.free().filter(|it| of_name(it) < usize::MAX);
    let fitting = free.filter(|it| !it.ratings().is_empty());
    let own = head.member("rating");
    own.or_else(|| fitting.min_by_key(|it| (of_name(it), Reverse(it.ratings().len()))))
}

/// Returns the columns that may say whose answer a row is, or which.
fn keys(head: &Head) -> impl Iterator<Item = &HeadColumn> {
    const MOST: usize = 20;
    let own = ["id", "userId", "email"].into_iter();
    let own = own.filter_map(|member| head.member(member));
    let named = head.free().filter(|it| is_id_name(it.last_name()));
    own.chain(named).take(MOST)
}

/// Says that ids of answers, which are not read, repeat within an hour.
pub(crate) fn repeated_ids(head: &Head) -> Option<String> {
    let mut ids = head.free().filter(|it| is_response_id_name(it.last_name()));
    let ids = ids.next().filter(|_| head.member("id").is_none())?;
    let repeated = RepeatedIds::of(ids, dates_of(head));
    let mut pairs = repeated.pairs.iter();
    let way_out = if pairs.all(|pair| repeated.are_at_once(*pair)) {
        let option = argument(&format!("id={}", ids.name));
        format!("; --map {option} counts the last of each")
    } else {
        String::new()
    };
    let (name, count) = (quoted(&ids.name), repeated.pairs.len());
    let place = head.at_the_beginning();
    (count > 0).then(|| {
        format!("rows that repeat the {name} of another one count, too ({count}{place}){way_out}")
    })
}

/// Says which columns contradict ratings, or have those that are missing.
pub(crate) fn doubts(head: &Head, ratings: &HeadColumn) -> Vec<String> {
    let others = head.free().filter(|it| it.name != ratings.name);
    let doubts = others.flat_map(|column| {
        let said = [
            contradiction(head, column, ratings),
            missing_ratings(head, column, ratings),
        ];
        said.into_iter().flatten()
    });
    doubts.collect()
}

/// Says that a column of words for ratings, such as `Promoter`, has other ones than the ratings have.
fn contradiction(head: &Head, column: &HeadColumn, ratings: &HeadColumn) -> Option<String> {
    let word = |text: &str| text.trim_end_matches('s').to_lowercase();
    let is_word = |text: &str| ["promoter", "passive", "detractor"].contains(&&*word(text));
    let is_other = |(text, rating): &(&str, u8)| {
        let own = match rating {
            9.. => "promoter",
            7.. => "passive",
            _ => "detractor",
        };
        is_word(text) && word(text) != own
    };
    let words = column.texts().filter(|text| is_word(text)).count();
    if !is_most(words, column.texts().count()) {
        return None;
    }
    let rows = column.values.iter().zip(&ratings.values);
    let rated = rows.filter_map(|(text, value)| Some((&**text, rating(value, true).ok()?.value())));
    let mut others = rated.filter(is_other);
    let (text, rating) = others.next()?;
    let count = 1 + others.count();
    let [name, text] = [&column.name, text].map(quoted);
    let place = head.at_the_beginning();
    Some(format!(
        "{name} contradicts ratings ({count}{place}), such as {rating} with {text}"
    ))
}

/// Says that a column has ratings where others have none, and were not dismissed.
fn missing_ratings(head: &Head, column: &HeadColumn, ratings: &HeadColumn) -> Option<String> {
    if !is_plain_rating_name(column.last_name()) || is_of_person(&column.name) {
        return None;
    }
    let dismissed = head.member("dismissed");
    let is_missing = |(row, (text, value)): &(usize, (&String, &String))| {
        let flag = dismissed.and_then(|it| it.values.get(*row));
        let is_dismissed = flag.is_some_and(|text| Flag::Dismissed.counts(text) == Some(false));
        value.is_empty() && rating(text, false).is_ok() && !is_dismissed
    };
    let rows = column.values.iter().zip(&ratings.values).enumerate();
    let count = rows.filter(is_missing).count();
    let [name, rating] = [column, ratings].map(|it| quoted(&it.name));
    let place = head.at_the_beginning();
    (count > 0).then(|| format!("{name} has ratings where {rating} has none ({count}{place})"))
}

/// Rows of one id within an hour, which is what precedes the first colon of an instant.
struct RepeatedIds<'a> {
    ids: &'a HeadColumn,
    dates: Option<&'a [String]>,
    /// Each row behind the first of its id, with that first one.
    pairs: Vec<[usize; 2]>,
    /// How many ids there are, with their hours.
    count: usize,
}

impl<'a> RepeatedIds<'a> {
    fn of(ids: &'a HeadColumn, dates: Option<&'a [String]>) -> Self {
        let dates = dates.filter(|dates| dates.len() == ids.values.len());
        let mut firsts = HashMap::new();
        let mut pairs = Vec::new();
        let rows = ids.values.iter().enumerate();
        for (at, id) in rows.filter(|(_, id)| !id.is_empty()) {
            let hour = dates.and_then(|dates| dates.get(at)?.split(':').next());
            let first = *firsts.entry((id, hour)).or_insert(at);
            pairs.extend((first < at).then_some([first, at]));
        }
        Self {
            ids,
            dates,
            count: firsts.len(),
            pairs,
        }
    }

    /// Returns whether two rows have one date, or none have dates.
    fn are_at_once(&self, [one, other]: [usize; 2]) -> bool {
        self.dates
            .is_none_or(|dates| dates.get(one) == dates.get(other))
    }

    /// Returns whether rows of one id differ in a column.
    fn differ_in(&self, column: &HeadColumn) -> bool {
        let mut pairs = self.pairs.iter();
        self.ids.name != column.name && pairs.any(|pair| differ(column, *pair))
    }

    /// Returns whether the ids are of answers, most of which have different ratings that this column tells apart.
    fn have_several(&self, ratings: &HeadColumn, column: &HeadColumn) -> bool {
        let pairs = self.pairs.iter().filter(|pair| differ(ratings, **pair));
        let firsts: BTreeSet<_> = pairs.clone().map(|[first, _]| first).collect();
        self.are_of_answers()
            && is_majority(firsts.len(), self.count)
            && pairs.clone().all(|pair| differ(column, *pair))
    }

    /// Returns whether the ids are of answers, of which one has a row without a rating at another time, as this column
    /// tells.
    fn have_events(&self, ratings: &HeadColumn, column: &HeadColumn) -> bool {
        let is_rated = |row: usize| Some(rating(ratings.values.get(row)?, true).is_ok());
        let is_event = |pair: &[usize; 2]| {
            let [first, other] = pair.map(is_rated);
            differ(column, *pair) && first != other && !self.are_at_once(*pair)
        };
        self.are_of_answers() && self.pairs.iter().any(is_event)
    }

    fn are_of_answers(&self) -> bool {
        let is_own = self.ids.field.as_ref().is_some_and(|it| it.is_member("id"));
        is_own || is_response_id_name(self.ids.last_name())
    }
}

/// Returns whether two rows have different values in a column.
fn differ(column: &HeadColumn, rows: [usize; 2]) -> bool {
    let value = |row: usize| {
        let value = column.values.get(row);
        value.filter(|value| !value.is_empty())
    };
    let [one, other] = rows.map(value);
    one.is_some() && other.is_some() && one != other
}
