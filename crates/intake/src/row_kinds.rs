//! What a row is, if it is not one answer of somebody: a count of answers, an answer to one of several questions, or an
//! answer of somebody whose id is called `id`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::date_forms::forms_of;
use crate::head::{Head, HeadColumn};
use crate::names::{
    is_comment_name, is_count_name, is_id_name, is_question_name, may_be_question_name, names_nps,
    numbers_of, rank_of_date,
};
use crate::reason::quoted;
use crate::scores::rating;

/// A column that may say how many answers each row is.
pub(crate) struct Tally<'a> {
    pub(crate) column: &'a HeadColumn,
    pub(crate) answers: u64,
    /// Whether the rows are ratings with how often they were given.
    pub(crate) is_certain: bool,
}

impl<'a> Tally<'a> {
    /// Finds it in a table of these ratings.
    pub(crate) fn of(head: &'a Head, ratings: &HeadColumn) -> Option<Self> {
        let is_named = |it: &&HeadColumn| is_count_name(&it.name) && it.name != ratings.name;
        let mut named = head.free().filter(is_named);
        let (column, counts) = named.find_map(|column| Some((column, numbers(column)?)))?;
        let is_numbering = (1..).zip(&counts).all(|(n, count)| n == *count);
        let is_any = !is_numbering && counts.iter().any(|count| *count > 1);
        (is_any && !is_of_people(head)).then(|| Self {
            column,
            answers: counts
                .iter()
                .fold(0, |sum, count| sum.saturating_add(*count)),
            is_certain: are_tallied(head, ratings),
        })
    }
}

/// Returns the whole numbers of a column that has nothing else.
fn numbers(column: &HeadColumn) -> Option<Vec<u64>> {
    let numbers = column.texts().map(|text| text.parse().ok());
    let numbers: Option<Vec<u64>> = numbers.collect();
    numbers.filter(|numbers| !numbers.is_empty())
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

/// Returns whether the ratings stand as in a table of counts: in order where there are no dates, or several different
/// ones at most dates.
fn are_tallied(head: &Head, ratings: &HeadColumn) -> bool {
    const IN_ORDER: usize = 5;
    const AT_A_DATE: usize = 3;
    let numbers = ratings.values.iter().map(|text| rating(text, true).ok());
    let numbers: Option<Vec<u8>> = numbers.map(|it| Some(it?.value())).collect();
    let Some(numbers) = numbers else {
        return false;
    };
    let Some(dates) = dates_of(head).filter(|dates| dates.len() == numbers.len()) else {
        let are_in = |order: fn(&u8, &u8) -> bool| numbers.is_sorted_by(order);
        return numbers.len() >= IN_ORDER && (are_in(|a, b| a < b) || are_in(|a, b| a > b));
    };
    let mut at_dates = BTreeMap::<&str, Vec<u8>>::new();
    for (date, number) in dates.iter().zip(numbers) {
        at_dates.entry(date).or_default().push(number);
    }
    let are_different = |ratings: &&Vec<u8>| BTreeSet::from_iter(*ratings).len() == ratings.len();
    let tallied = at_dates.values().filter(are_different);
    tallied.filter(|ratings| ratings.len() >= AT_A_DATE).count() * 2 > at_dates.len()
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
}

impl<'a> Questions<'a> {
    /// Finds them where somebody has answered several at once.
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
            let is_question = is_named || is_one_for_nps;
            let is_wanted = is_question && (2..=MOST).contains(&counts.len());
            let is_answered = |key| are_answered_at_once(head, key, column);
            (is_wanted && keys(head).any(is_answered)).then_some((of_nps, Self { column, counts }))
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

/// Returns whether one of these, at one instant, has several of the questions.
fn are_answered_at_once(head: &Head, key: &HeadColumn, questions: &HeadColumn) -> bool {
    let rows = questions.values.len();
    let dates = dates_of(head).filter(|dates| dates.len() == rows);
    if key.name == questions.name || key.values.len() != rows {
        return false;
    }
    let mut firsts = HashMap::new();
    let mut rows = key.values.iter().zip(&questions.values).enumerate();
    rows.any(|(at, (key, question))| {
        let date = dates.and_then(|dates| dates.get(at));
        let is_there = !key.is_empty() && !question.is_empty();
        is_there && *firsts.entry((key, date)).or_insert(question) != question
    })
}
