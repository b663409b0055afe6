//! Draws intervals and groups as a table: a line for each element, however many there are, with its score on
//! a scale where there is room.

use std::fmt::Write as _;

use chrono::{DateTime, Datelike as _, NaiveDate, Utc};
use console::{Alignment, Style};
use indicatif::HumanCount;
use model::{Confidence, Unit};
use response_statistics::score::{range, shown, signed};
use response_statistics::{ENOUGH, Verdict};

use super::period_summary::PeriodSummary;
use super::screen::wrapped;
use crate::figures::{Element, LocalPeriod, StatisticsRequest, name_of_group};
use crate::terminal_table::{self, TableColumn};
use crate::text::printable;

const GAP: usize = 3;

/// The marks of intervals that are not over, and of others that the period cuts.
const RUNNING: &str = "*";
const PART: &str = "‡";

/// The width of a scale: a column is ten points, and zero is in the middle.
const SCALE_WIDTH: usize = 21;

/// The marks of scores that say little, and of groups that changed clearly.
const FEW: &str = "†";
const ROSE: &str = "▲";
const FELL: &str = "▼";

/// The header of a contribution, and of what of it the score and the share add.
const CONTRIBUTION_HEADER: &str = "CHANGE BY   SCORE   SHARE";

/// The ends of a scale, and its zero.
const SCALE_HEADER: &str = "−100      0      +100";

/// Returns the table, at most `width` columns wide, with a header.
pub(super) fn draw(
    query: &StatisticsRequest,
    summary: &PeriodSummary,
    now: DateTime<Utc>,
    width: usize,
) -> String {
    use Alignment::{Left, Right};
    let elements = summary.divided.as_slice();
    let mut columns = Vec::new();
    let unit = query.interval.filter(|_| query.is_series());
    let zone = query.zone();
    let now = zone.local(now);
    let week_start = query.week_start.unwrap_or_default();
    let period = |element: &Element| LocalPeriod::of(element.interval.as_ref()?, &zone).ok();
    let mark = |element: &Element| match period(element).zip(unit) {
        Some((period, _)) if period.start <= now && now < period.end => RUNNING,
        Some((period, unit)) if period.is_part_of(unit, week_start) => PART,
        _ => "",
    };
    if let Some(unit) = unit {
        let names = elements.iter().map(|element| {
            let name = period(element).map(|period| name_of(unit, period.start.date()));
            name.map_or_else(String::new, |name| name + mark(element))
        });
        let header = unit.to_string().to_uppercase();
        columns.push(TableColumn::new(&header, Left, once(names)));
    }
    let cells = |cell: fn(&Element) -> String| elements.iter().map(cell).collect();
    if let Some(by) = &query.group_by {
        let header = printable(by.name.as_str()).to_uppercase();
        columns.push(TableColumn::new(&header, Left, cells(group)));
    }
    let names = columns.len();
    let percent = query.confidence.map_or(95, Confidence::percent);
    let marks = |element: &Element| [mark(element), mark_of_score(element)];
    let has_marks = elements
        .iter()
        .any(|element| !mark_of_score(element).is_empty());
    let score = |element: &Element| {
        let score = element.figures.score().map_or("–".to_owned(), shown);
        match mark_of_score(element) {
            "" if has_marks => score + " ",
            mark => score + mark,
        }
    };
    columns.extend([
        TableColumn::new("RESPONSES", Right, cells(responses)),
        TableColumn::new("NPS", Right, elements.iter().map(score).collect()),
        TableColumn::new(&format!("{percent}% INTERVAL"), Left, cells(interval)),
    ]);
    let mut left_out = Vec::new();
    // Where a terminal is narrow, columns give way: the interval first, and then the responses.
    for (column, name) in [(names + 2, "the interval"), (names, "the responses")] {
        if least_width(&columns, names) > width {
            columns.remove(column);
            left_out.push(name);
        }
    }
    if summary.verdict == Some(Verdict::Clear) && !query.is_series() {
        if fit(&mut columns, names, width, CONTRIBUTION_HEADER.len()) {
            let cells = cells(contribution);
            columns.push(TableColumn::new(CONTRIBUTION_HEADER, Left, cells));
        } else {
            left_out.push("what each group adds to the change");
        }
    }
    let has_scale = fit(&mut columns, names, width, SCALE_WIDTH);
    if has_scale {
        columns.push(TableColumn::new(SCALE_HEADER, Left, cells(scale)));
    }
    let mut text = write(&columns, elements);
    let few = if has_scale { "†, ○" } else { FEW };
    for (sign, mark, words) in [
        (FEW, few, format!("fewer than {ENOUGH} responses")),
        (ROSE, ROSE, "a clear rise".to_owned()),
        (FELL, FELL, "a clear fall".to_owned()),
        (RUNNING, RUNNING, "not over yet".to_owned()),
        (PART, PART, "a part, cut by the period".to_owned()),
    ] {
        if elements
            .iter()
            .any(|element| marks(element).contains(&sign))
        {
            let _ = writeln!(text, "{mark}: {words}");
        }
    }
    if !left_out.is_empty() {
        let line = format!("A wider terminal also shows {}.", left_out.join(" and "));
        text += &wrapped(&line, width);
    }
    text
}

/// Returns how wide columns are at least, if the last of the columns of names is cut.
fn least_width(columns: &[TableColumn], names: usize) -> usize {
    /// `all others` is whole.
    const NAME: usize = 10;
    let widths = columns.iter().enumerate().map(|(at, column)| {
        let cut = if at + 1 == names { NAME } else { usize::MAX };
        column.width.min(cut) + GAP
    });
    widths.sum::<usize>().saturating_sub(GAP)
}

/// Cuts the last of the columns of names to what is left. Returns whether a column of this width fits beside it.
fn fit(columns: &mut [TableColumn], names: usize, width: usize, more: usize) -> bool {
    /// Enough of a name to tell it from others.
    const NAME: usize = 16;
    let used: usize = columns.iter().map(|column| column.width + GAP).sum();
    let Some(name) = columns.get_mut(names.saturating_sub(1)) else {
        return false;
    };
    let left = (width + GAP + name.width).saturating_sub(used);
    let beside = left.saturating_sub(GAP + more);
    let fits = beside >= name.width.min(NAME);
    name.width = name.width.min(if fits { beside } else { left });
    fits
}

/// Returns the mark of a score that rests on few responses, or of a group whose score changed clearly.
fn mark_of_score(element: &Element) -> &'static str {
    let change = element
        .compared
        .as_ref()
        .map(|compared| compared.change.change);
    match change {
        _ if element.figures.are_few() && element.figures.responses > 0 => FEW,
        Some(change) if change.verdict != Verdict::Clear => "",
        Some(change) if change.points > Some(0.0) => ROSE,
        Some(_) => FELL,
        None => "",
    }
}

/// Returns the header, and a line for each element.
fn write(columns: &[TableColumn], elements: &[Element]) -> String {
    let table = terminal_table::draw(columns, GAP);
    let mut text = table.header + "\n";
    for (line, element) in table.rows.into_iter().zip(elements) {
        text += &if element.figures.are_few() {
            soft().apply_to(line).to_string()
        } else {
            line
        };
        text.push('\n');
    }
    text
}

/// Shows a name only where it differs from the one above.
fn once(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut above = String::new();
    let different = names.map(|name| {
        if name == above {
            return String::new();
        }
        above.clone_from(&name);
        name
    });
    different.collect()
}

/// Names the interval that a date is in, by its first day if it is a week.
fn name_of(unit: Unit, date: NaiveDate) -> String {
    let format = match unit {
        Unit::All | Unit::Day | Unit::Week => "%-d %b %Y",
        Unit::Month => "%b %Y",
        Unit::Quarter => return format!("Q{} {}", date.quarter(), date.year()),
        Unit::Year => "%Y",
    };
    date.format(format).to_string()
}

fn responses(element: &Element) -> String {
    match element.figures.displays {
        0 => "–".to_owned(),
        _ => HumanCount(element.figures.responses.into()).to_string(),
    }
}

fn interval(element: &Element) -> String {
    let ends = element.figures.score_range();
    ends.map_or_else(String::new, |(low, high)| range(low, high))
}

fn group(element: &Element) -> String {
    let group = element.group.as_ref();
    group.map_or_else(String::new, name_of_group)
}

/// Returns a scale with the score, hollow if there are few responses, and its range.
fn scale(element: &Element) -> String {
    let figures = &element.figures;
    let score = figures.score();
    let ends = figures.score_range();
    let range = ends.map(|(low, high)| place(low)..=place(high));
    let column = |n| {
        let within = range.as_ref().is_some_and(|range| range.contains(&n));
        match (within, n == SCALE_WIDTH / 2) {
            _ if Some(n) == score.map(place) && figures.are_few() => "○".to_owned(),
            _ if Some(n) == score.map(place) => {
                let color = color_of(score.unwrap_or_default());
                color.apply_to("●").to_string()
            }
            (true, true) => "┼".to_owned(),
            (true, false) => "─".to_owned(),
            (false, true) => "│".to_owned(),
            (false, false) => " ".to_owned(),
        }
    };
    (0..SCALE_WIDTH).map(column).collect()
}

/// Returns what a group adds to the whole change, and what of it its score and its share add, if it has responses in
/// both periods.
fn contribution(element: &Element) -> String {
    let compared = element.compared.as_ref();
    let Some(of_group) = compared.map(|it| it.change.contribution) else {
        return String::new();
    };
    let parts = [of_group.points, of_group.from_score, of_group.from_share];
    let [points, score, share] = parts.map(|part| part.map_or("–".to_owned(), signed));
    format!("{points:>9} {score:>7} {share:>7}")
}

/// Returns the style of figures of few responses, which every scheme of colors shows.
pub(super) fn soft() -> Style {
    Style::new().dim()
}

/// Returns the color of a score.
pub(super) fn color_of(score: f64) -> Style {
    if score > 0.0 {
        Style::new().green()
    } else if score < 0.0 {
        Style::new().red()
    } else {
        Style::new().yellow()
    }
}

/// Returns the column of a score.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss
)] // the number of a column
fn place(score: f64) -> usize {
    let last = (SCALE_WIDTH - 1) as f64;
    ((score + 100.0) / 200.0 * last).round().clamp(0.0, last) as usize
}
