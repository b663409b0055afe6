//! Draws intervals and groups as a table: a line for each element, however many there are, with its score on
//! a scale where there is room.

use std::fmt::Write as _;

use chrono::{DateTime, Datelike as _, NaiveDate, Utc};
use console::{Alignment, Style};
use indicatif::HumanCount;
use model::{Confidence, Unit};
use response_statistics::score::{shown, signed};

use super::period_summary::PeriodSummary;
use crate::figures::{FEW, Figures, GroupLabel, LocalPeriod, StatisticsRequest, Verdict};
use crate::terminal_table::{self, TableColumn};
use crate::text::printable;

const GAP: usize = 3;

/// The marks of intervals that are not over, and of others that the period cuts.
const RUNNING: &str = "*";
const PART: &str = "‡";

/// The width of a scale: a column is ten points, and zero is in the middle.
const SCALE_WIDTH: usize = 21;

/// The header of the bar and the two numbers of a contribution.
const CONTRIBUTION_HEADER: &str = "CHANGE BY   SCORE   SHARE";

/// The columns on each side of the centre of a contribution's bar.
const HALF_BAR: usize = 4;

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
    let now = query.timezone.clone().unwrap_or_default().local(now);
    let week_start = query.week_start.unwrap_or_default();
    let mark = |figures: &Figures| match period(figures).zip(unit) {
        Some((period, _)) if period.start <= now && now < period.end => RUNNING,
        Some((period, unit)) if period.is_part_of(unit, week_start) => PART,
        _ => "",
    };
    if let Some(unit) = unit {
        let names = elements.iter().map(|figures| {
            let name = period(figures).map(|period| name_of(unit, period.start.date()));
            name.map_or_else(String::new, |name| name + mark(figures))
        });
        let header = unit.to_string().to_uppercase();
        columns.push(TableColumn::new(&header, Left, once(names)));
    }
    let cells = |cell: fn(&Figures) -> String| elements.iter().map(cell).collect();
    if let Some(by) = &query.group_by {
        let header = printable(by.name.as_str()).to_uppercase();
        columns.push(TableColumn::new(&header, Left, cells(group)));
    }
    let names = columns.len();
    let percent = query.confidence.map_or(95, Confidence::percent);
    let has_few = elements.iter().any(is_little);
    let score = |figures: &Figures| {
        let mark = match has_few {
            _ if is_little(figures) => "†",
            true => " ",
            false => "",
        };
        figures.nps.map_or("–".to_owned(), shown) + mark
    };
    let range = |figures: &Figures| figures.nps_range.clone().unwrap_or_default();
    columns.extend([
        TableColumn::new("RESPONSES", Right, cells(responses)),
        TableColumn::new("NPS", Right, elements.iter().map(score).collect()),
        TableColumn::new(&format!("{percent}% INTERVAL"), Left, cells(range)),
    ]);
    // Where a terminal is narrow, columns give way: the interval first, and then the responses.
    for column in [names + 2, names] {
        if least_width(&columns, names) > width {
            columns.remove(column);
        }
    }
    if summary.figures.verdict() == Some(Verdict::Clear)
        && !query.is_series()
        && fit(&mut columns, names, width, CONTRIBUTION_HEADER.len())
    {
        let cells = contributions(elements);
        columns.push(TableColumn::new(CONTRIBUTION_HEADER, Left, cells));
    }
    let has_scale = fit(&mut columns, names, width, SCALE_WIDTH);
    if has_scale {
        columns.push(TableColumn::new(SCALE_HEADER, Left, cells(scale)));
    }
    let mut text = write(&columns, elements, has_scale);
    for (sign, words) in [
        (RUNNING, "not over yet"),
        (PART, "a part, cut by the period"),
    ] {
        if elements.iter().any(|figures| mark(figures) == sign) {
            let _ = writeln!(text, "{sign}: {words}");
        }
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

/// Returns whether a score rests on few responses.
fn is_little(figures: &Figures) -> bool {
    figures.few && figures.responses > 0
}

/// Returns the header, a line for each element, and what the marks of few responses mean.
fn write(columns: &[TableColumn], elements: &[Figures], has_scale: bool) -> String {
    let table = terminal_table::draw(columns, GAP);
    let mut text = table.header + "\n";
    for (line, figures) in table.rows.into_iter().zip(elements) {
        text += &if figures.few {
            soft().apply_to(line).to_string()
        } else {
            line
        };
        text.push('\n');
    }
    if elements.iter().any(is_little) {
        let mark = if has_scale { ", ○" } else { "" };
        let _ = writeln!(text, "†{mark}: fewer than {FEW} responses");
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

/// Returns the period of an element, as the clocks of its zone show it.
fn period(figures: &Figures) -> Option<LocalPeriod> {
    LocalPeriod::of(figures.interval.as_ref()?).ok()
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

fn responses(figures: &Figures) -> String {
    match figures.displays {
        0 => "–".to_owned(),
        _ => HumanCount(figures.responses).to_string(),
    }
}

fn group(figures: &Figures) -> String {
    figures
        .group
        .as_ref()
        .map_or_else(String::new, GroupLabel::words)
}

/// Returns a scale with the score, hollow if there are few responses, and its range.
fn scale(figures: &Figures) -> String {
    let score = figures.nps.map(place);
    let ends = figures.nps_low.zip(figures.nps_high);
    let range = ends.map(|(low, high)| place(low)..=place(high));
    let column = |n| {
        let within = range.as_ref().is_some_and(|range| range.contains(&n));
        match (within, n == SCALE_WIDTH / 2) {
            _ if Some(n) == score && figures.few => "○".to_owned(),
            _ if Some(n) == score => {
                let color = color_of(figures.nps.unwrap_or_default());
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

/// Returns what each group contributes to the whole change: a bar from the centre, and the points of its score and of
/// its share, if it has responses in both periods.
fn contributions(elements: &[Figures]) -> Vec<String> {
    let contribution = |figures: &Figures| figures.change.as_ref()?.contribution;
    let sizes = elements.iter().filter_map(contribution).map(f64::abs);
    let largest = sizes.fold(0.0, f64::max);
    let cell = |figures: &Figures| {
        let change = figures.change.as_ref()?;
        let bar = bar_from_centre(change.contribution?, largest);
        let [score, share] =
            [change.from_score, change.from_share].map(|part| part.map_or("–".to_owned(), signed));
        Some(format!("{bar} {score:>7} {share:>7}"))
    };
    let cells = elements
        .iter()
        .map(|figures| cell(figures).unwrap_or_default());
    cells.collect()
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss
)] // a number of columns
fn bar_from_centre(points: f64, largest: f64) -> String {
    let share = points.abs() / largest.max(f64::MIN_POSITIVE);
    let bar = "█".repeat((share * HALF_BAR as f64).round() as usize);
    let style = color_of(points);
    let colored = style.apply_to(&bar);
    let rest = " ".repeat(HALF_BAR - bar.chars().count());
    let empty = " ".repeat(HALF_BAR);
    if points < 0.0 {
        format!("{rest}{colored}│{empty}")
    } else {
        format!("{empty}│{colored}{rest}")
    }
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
