//! Ratings as files have them: numbers from 0 to 10, alone or with a label.

use chrono::NaiveDate;
use model::Rating;

use crate::dates::{is_majority, is_most};
use crate::reason::{Reason, quoted};

/// What the values are that should be ratings.
#[derive(Default)]
pub(crate) struct Scores {
    count: usize,
    numbers: usize,
    labelled: usize,
    with_digits: usize,
}

impl Scores {
    pub(crate) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut scores = Self::default();
        for text in texts {
            scores.count += 1;
            scores.numbers += usize::from(number(text).is_some());
            scores.labelled += usize::from(labelled(text).is_some());
            scores.with_digits += usize::from(text.contains(|c: char| c.is_ascii_digit()));
        }
        scores
    }

    /// Returns whether they are numbers, but for a few.
    pub(crate) fn are_numbers(&self) -> bool {
        is_most(self.numbers, self.count)
    }

    /// Returns whether more than half are numbers, and the others words such as `#VALUE!`, but for a few.
    pub(crate) fn are_numbers_or_words(&self) -> bool {
        is_majority(self.numbers, self.count) && is_most(self.numbers, self.with_digits)
    }

    /// Returns whether they are numbers alone or with a label, but for a few, and some have one.
    pub(crate) fn have_labels(&self) -> bool {
        self.labelled > self.numbers && is_most(self.labelled, self.count)
    }

    /// Returns whether they are words alone.
    pub(crate) fn are_words(&self) -> bool {
        self.count > 0 && self.with_digits == 0
    }
}

/// Parses a rating, which may have a label.
pub(crate) fn rating(text: &str, may_have_label: bool) -> Result<Rating, Reason> {
    let found = number(text).or_else(|| may_have_label.then(|| labelled(text)).flatten());
    let must = "rating must be a whole number from 0 to 10";
    found.ok_or_else(|| format!("{must}, got {}", quoted(text)))
}

/// Parses a number alone.
fn number(text: &str) -> Option<Rating> {
    // Tables in which some ratings are missing write the others as 9.0.
    let whole = text
        .split_once('.')
        .filter(|(_, zeros)| !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0'))
        .map_or(text, |(whole, _)| whole);
    // A sign would be parsed, too.
    let number = whole
        .parse::<u8>()
        .ok()
        .filter(|_| !whole.starts_with('+'))?;
    number.try_into().ok()
}

/// What stands between a number and its label: `2 days` is no rating.
const MARKS: [char; 8] = ['(', '[', ')', ']', ':', '=', '–', '—'];

/// Parses a number with a label, as in `10 - Extremely likely`, `0 (not at all)` or `Score: 9`, and as in `9/10`
/// or `9,0`.
fn labelled(text: &str) -> Option<Rating> {
    let is_digit = |c: char| c.is_ascii_digit();
    let begin = text.find(is_digit)?;
    let (before, from) = text.split_at(begin);
    let (digits, after) = from.split_at(from.find(|c| !is_digit(c)).unwrap_or(from.len()));
    let of_ten = after.trim_start().strip_prefix('/').map(str::trim_start);
    let after = of_ten
        .and_then(|ten| ten.strip_prefix("10"))
        .unwrap_or(after);
    let after = after
        .strip_prefix(",0")
        .or_else(|| after.strip_prefix(".0"))
        .unwrap_or(after);
    let before_number = before.trim_end();
    let is_begun =
        before_number.is_empty() || before_number.ends_with(MARKS) || before.ends_with("- ");
    let label = after.trim_start();
    let is_ended = label.is_empty() || label.starts_with(MARKS) || label.starts_with('-');
    let is_alone = is_begun && is_ended && !after.contains(is_digit);
    (is_alone && !is_day(text))
        .then(|| number(digits))
        .flatten()
}

/// Returns whether a text is a day and a month, as in `10-Mar`, which spreadsheets make of `3/10`.
fn is_day(text: &str) -> bool {
    NaiveDate::parse_from_str(&format!("{text} 2000"), "%d-%b %Y").is_ok()
}
