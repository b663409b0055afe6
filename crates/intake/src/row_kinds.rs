//! What a row is, if it is not one answer of somebody: a count of answers, an answer to one of several questions, or an
//! answer of somebody whose id is called `id`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use model::Rating;

use crate::dates::forms_of;
use crate::head::{Head, HeadColumn};
use crate::names::{
    is_comment_name, is_count_name, is_id_name, is_question_name, may_be_count_name,
    may_be_question_name, names_nps, numbers_of, rank_of_date,
};
use crate::reason::quoted;
use crate::scores::rating;

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
            (is_any && counts.iter().any(|count| *count > 1.0))
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
    at_dates.values().filter(is_tallied).count() * 2 > at_dates.len()
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
    let row = |at: usize| {
        let columns = head.columns.iter();
        columns.map(move |column| column.values.get(at))
    };
    let mut firsts = HashMap::new();
    let mut rows = ids.values.iter().enumerate();
    rows.any(|(at, id)| {
        let first = *firsts.entry(id).or_insert(at);
        !id.is_empty() && !row(first).eq(row(at))
    })
    .then_some(ids)
}

/// A column that says to which question the answer of a row is.
pub(crate) struct Questions<'a> {
    pub(crate) column: &'a HeadColumn,
    /// The questions, and how many answers each has.
    counts: BTreeMap<&'a str, u64>,
    /// Whether the rows of one person show it, rather than the questions alone.
    pub(crate) are_certain: bool,
}

impl<'a> Questions<'a> {
    /// Finds them where somebody has answered several at once, or where they are called so and one asks for a
    /// recommendation or all have as many answers.
    pub(crate) fn of(head: &'a Head) -> Option<Self> {
        const MOST: usize = 50;
        let found = head.free().filter_map(|column| {
            let name = column.last_name();
            let is_named = is_question_name(name);
            if !is_named && !may_be_question_name(name) {
                return None;
            }
            let mut counts = BTreeMap::new();
            for text in column.texts() {
                *counts.entry(text).or_default() += 1;
            }
            let of_nps = counts.keys().filter(|text| names_nps(text)).count();
            let is_one_for_nps = of_nps > 0 && of_nps < counts.len();
            let least = counts.values().next().copied().filter(|count| *count > 1);
            let are_as_many = counts.values().all(|count| Some(*count) == least);
            let are_at_once = keys(head).any(|key| are_answered_at_once(head, key, column));
            let are_certain = are_at_once || (is_named && is_one_for_nps && are_as_many);
            let may_be = are_at_once || is_one_for_nps || are_as_many;
            let is_question = if is_named {
                may_be
            } else {
                are_at_once && is_one_for_nps
            };
            let is_wanted = is_question && (2..=MOST).contains(&counts.len());
            let questions = Self {
                column,
                counts,
                are_certain,
            };
            is_wanted.then_some((of_nps, questions))
        });
        found.max_by_key(|(of_nps, _)| *of_nps).map(|(_, it)| it)
    }

    /// Returns the only one that asks for a recommendation.
    pub(crate) fn of_nps(&self) -> Option<&'a str> {
        let mut of_nps = self.counts.keys().filter(|text| names_nps(text));
        of_nps.next().copied().filter(|_| of_nps.next().is_none())
    }

    /// Lists them with their answers.
    pub(crate) fn list(&self) -> String {
        const SHOWN: usize = 5;
        let counts = self.counts.iter();
        let shown = counts.map(|(text, count)| format!("{} ({count})", quoted(text)));
        let mut list: Vec<_> = shown.take(SHOWN).collect();
        list.extend((self.counts.len() > SHOWN).then(|| "…".to_owned()));
        list.join(", ")
    }
}

/// Returns the columns that may say whose answer a row is.
fn keys(head: &Head) -> impl Iterator<Item = &HeadColumn> {
    let own = ["id", "userId", "email"].into_iter();
    let own = own.filter_map(|member| head.member(member));
    own.chain(head.free().filter(|it| is_id_name(it.last_name())))
}

/// Returns whether one of these has several of the questions within an hour, which is what precedes the first colon of
/// an instant.
fn are_answered_at_once(head: &Head, key: &HeadColumn, questions: &HeadColumn) -> bool {
    let rows = questions.values.len();
    let dates = dates_of(head).filter(|dates| dates.len() == rows);
    if key.name == questions.name || key.values.len() != rows {
        return false;
    }
    let mut firsts = HashMap::new();
    let mut rows = key.values.iter().zip(&questions.values).enumerate();
    rows.any(|(at, (key, question))| {
        let date = dates.and_then(|dates| dates.get(at)?.split(':').next());
        let is_there = !key.is_empty() && !question.is_empty();
        is_there && *firsts.entry((key, date)).or_insert(question) != question
    })
}
