//! Results as short texts.

use std::fmt::Write as _;

use shared::model::Timestamp;

use super::results::{MOST, Period, Trait, change};
use crate::commands::stats::Query;
use crate::commands::stats::claims::{FEW, confidence, score};
use crate::commands::stats::figures::{Figures, Group};
use crate::score::rounded;
use crate::text::printable;

/// The most rows of a table; the structured content has more.
const ROWS: usize = 50;

/// The most characters of a text from a record.
const CHARACTERS: usize = 200;

/// Returns a text from a record without what controls a display or is invisible, and cut.
pub(super) fn harmless(text: &str) -> String {
    // Tags and variation selectors, which models read as letters, and what has no width; the joiner of emoji stays.
    let is_invisible = |c: char| {
        matches!(c,
            '\u{200B}' | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E0FFF}')
    };
    let printable = printable(text);
    let mut characters = printable
        .chars()
        .map(|c| if is_invisible(c) { '\u{FFFD}' } else { c });
    let mut kept: String = characters.by_ref().take(CHARACTERS).collect();
    if characters.next().is_some() {
        kept.pop();
        kept.push('…');
    }
    kept
}

/// Returns a text from a record, harmless and in quotes.
pub(super) fn quoted(text: &str) -> String {
    format!("{:?}", harmless(text))
}

/// Returns the value of a group. Only values from records are in quotes.
pub(super) fn value(figures: &Figures) -> String {
    match &figures.group {
        _ if figures.other => "all others".to_owned(),
        None => "no value".to_owned(),
        Some(Group::Boolean(flag)) => flag.to_string(),
        Some(Group::String(text)) => quoted(text),
    }
}

/// Returns what was counted.
pub(super) fn heading(query: &Query, period: &Period) -> String {
    let Period { start, end } = period;
    let mut text = format!(
        "Project {}, from {start} until before {end}.\n",
        query.project
    );
    text += &conditions(query);
    let end: Result<Timestamp, _> = end.parse();
    if query.end.is_some() && end.is_ok_and(|end| end > Timestamp::now()) {
        text += "The period is not over yet.\n";
    }
    text
}

fn conditions(query: &Query) -> String {
    let mut text = String::new();
    for filter in &query.filter {
        let _ = writeln!(text, "Only where {}.", quoted(&filter.to_string()));
    }
    if query.is_latest() {
        let each = if query.is_series() {
            " in each interval"
        } else {
            ""
        };
        let _ = writeln!(text, "Only the latest rating of each person{each} counts.");
    }
    text
}

/// Returns at most so many elements: the newest of a series, or the first groups.
pub(super) fn kept<'a>(query: &Query, elements: &'a [Figures], most: usize) -> &'a [Figures] {
    let kept = if query.is_series() {
        elements.rchunks(most).next()
    } else {
        elements.chunks(most).next()
    };
    kept.unwrap_or_default()
}

/// Returns a row for each element.
pub(super) fn table(query: &Query, elements: &[Figures]) -> String {
    let (percent, _) = confidence(query);
    let has_dates = query.is_series();
    let mut text = format!("   NPS  {percent}% interval      responses   displays");
    text += if has_dates { "  from" } else { "" };
    text += match (has_dates, query.group_by.is_some()) {
        (true, true) => "        value\n",
        (false, true) => "  value\n",
        (_, false) => "\n",
    };
    for figures in kept(query, elements, ROWS) {
        text += &row(figures);
        if has_dates {
            let date = figures.start.as_deref().and_then(|start| start.get(..10));
            let _ = write!(text, "  {}", date.unwrap_or_default());
        }
        if query.group_by.is_some() {
            let _ = write!(text, "  {}", value(figures));
        }
        text.push('\n');
    }
    if elements.iter().any(|figures| figures.responses < FEW) {
        let _ = writeln!(text, "* fewer than {FEW} responses: too few to tell");
    }
    let which = if has_dates { "earlier" } else { "more" };
    text + &omitted(
        elements.len(),
        which,
        "narrow the period, or choose a longer interval or fewer groups",
    )
}

fn row(figures: &Figures) -> String {
    let score = figures.score();
    let score = score.map_or("-".to_owned(), |score| format!("{:+.1}", rounded(score)));
    let interval = figures.interval();
    let interval = interval.map(|(low, high)| format!("{low:+.1} to {high:+.1}"));
    let interval = interval.unwrap_or_default();
    let mark = if figures.responses < FEW { "*" } else { " " };
    let Figures {
        responses,
        displays,
        ..
    } = figures;
    format!("{score:>6}  {interval:<16}  {responses:>9}{mark} {displays:>9}")
}

/// Says how many rows of a list are left out, and how to get them.
fn omitted(count: usize, which: &str, advice: &str) -> String {
    match count.saturating_sub(ROWS) {
        0 => String::new(),
        more if count > MOST => format!(
            "and {more} {which} rows: {advice}; the structured content has {MOST} of all {count}\n"
        ),
        more => format!("and {more} {which} rows, which the structured content has\n"),
    }
}

/// Returns a row for each trait.
pub(super) fn traits(displays: u64, traits: &[Trait], private: usize) -> String {
    let mut text = format!("{displays} displays, of which have\n");
    for Trait {
        name,
        kind,
        displays,
    } in traits.iter().take(ROWS)
    {
        let _ = writeln!(text, "{displays:>9}  {kind:<7}  {name:?}");
    }
    text += &omitted(traits.len(), "more", "narrow the period, or filter");
    if private > 0 {
        let _ = writeln!(
            text,
            "and {private} whose values name people, which can be neither filtered nor grouped by"
        );
    }
    text
}

/// Returns both scores and their change in words.
pub(super) fn comparison(query: &Query, [before, after]: [&Figures; 2]) -> String {
    let (percent, _) = confidence(query);
    let Some(change) = change(query, before, after) else {
        return "A period without responses has no score, so there is no change.\n".to_owned();
    };
    let [from, to] = [before, after].map(score);
    let points = change.points;
    if before.responses < FEW || after.responses < FEW {
        return format!(
            "From {from} to {to}, a change of {points:+.1} points. A period has fewer than {FEW} responses, so nothing can \
             be said about it.\n"
        );
    }
    format!(
        "From {from} to {to}: the change of {points:+.1} points {} (with {percent}% confidence it lies {}).\n",
        change.verdict(),
        change.bounds(),
    )
}
