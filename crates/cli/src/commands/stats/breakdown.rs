//! Draws intervals and groups as a table: a line for each element, however many there are, with its score on
//! a scale where there is room.

use std::fmt::Write as _;

use chrono::{DateTime, Datelike as _, NaiveDate, NaiveDateTime, Utc};
use console::{Alignment, Style};
use indicatif::HumanCount;
use model::{Confidence, Unit};

use crate::figures::score::shown;
use crate::figures::{FEW, Figures, GroupName, LocalPeriod, StatisticsRequest};
use crate::terminal_table::{self, TableColumn};
use crate::text::printable;

const GAP: usize = 3;

/// The width of a scale: a column is ten points, and zero is in the middle.
const SCALE_WIDTH: usize = 21;

/// The ends of a scale, and its zero.
const SCALE_HEADER: &str = "−100      0      +100";

/// Returns the table, at most `width` columns wide, with a header.
pub(super) fn draw(
    query: &StatisticsRequest,
    elements: &[Figures],
    now: DateTime<Utc>,
    width: usize,
) -> String {
    use Alignment::{Left, Right};
    let mut columns = Vec::new();
    let is_series = query.is_series();
    let now = query.timezone.clone().unwrap_or_default().local(now);
    let running = |figures| is_series && is_running(figures, now);
    if let Some(unit) = query.interval.filter(|_| is_series) {
        let names = elements.iter().map(|figures| {
            let mark = if running(figures) { "*" } else { "" };
            period(figures).map_or_else(String::new, |it| name_of(unit, it.start.date()) + mark)
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
    let score = |figures: &Figures| figures.nps.map_or("–".to_owned(), shown);
    let range = |figures: &Figures| figures.nps_range.clone().unwrap_or_default();
    columns.extend([
        TableColumn::new("RESPONSES", Right, cells(responses)),
        TableColumn::new("NPS", Right, cells(score)),
        TableColumn::new(&format!("{percent}% INTERVAL"), Left, cells(range)),
    ]);
    let has_scale = fit(&mut columns, names, width);
    if has_scale {
        columns.push(TableColumn::new(SCALE_HEADER, Left, cells(scale)));
    }
    let mut text = write(&columns, elements, has_scale);
    if elements.iter().any(running) {
        text += "*: not over yet\n";
    }
    text
}

/// Cuts the last of the columns of names to what is left. Returns whether a scale fits beside it.
fn fit(columns: &mut [TableColumn], names: usize, width: usize) -> bool {
    /// Enough of a name to tell it from others.
    const NAME: usize = 16;
    let used: usize = columns.iter().map(|column| column.width + GAP).sum();
    let Some(name) = columns.get_mut(names.saturating_sub(1)) else {
        return false;
    };
    let left = (width + GAP + name.width).saturating_sub(used);
    let beside_scale = left.saturating_sub(GAP + SCALE_WIDTH);
    let has_scale = beside_scale >= name.width.min(NAME);
    name.width = name.width.min(if has_scale { beside_scale } else { left });
    has_scale
}

/// Returns the header, a line for each element, and what the color of lines means.
fn write(columns: &[TableColumn], elements: &[Figures], has_scale: bool) -> String {
    let table = terminal_table::draw(columns, GAP);
    let mut text = table.header + "\n";
    for (line, figures) in table.rows.into_iter().zip(elements) {
        text += &if figures.few {
            grey().apply_to(line).to_string()
        } else {
            line
        };
        text.push('\n');
    }
    let is_grey = |figures: &Figures| figures.few && figures.responses > 0;
    if elements.iter().any(is_grey) {
        let mark = if has_scale { ", ○" } else { "" };
        let _ = writeln!(text, "Grey{mark}: fewer than {FEW} responses");
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

/// Returns whether the interval of an element has begun and is not over.
fn is_running(figures: &Figures, now: NaiveDateTime) -> bool {
    period(figures).is_some_and(|period| period.start <= now && now < period.end)
}

/// Names the interval that a date is in, by its first day if it is a week.
fn name_of(unit: Unit, date: NaiveDate) -> String {
    let format = match unit {
        Unit::All | Unit::Day | Unit::Week => "%-d %b %Y",
        Unit::Month => "%b %Y",
        Unit::Quarter => return format!("Q{} {}", date.month0() / 3 + 1, date.year()),
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

/// Returns the name of a group. A value that would be empty, or read as one of the words for what has
/// no value, has quotes.
fn group(figures: &Figures) -> String {
    const OTHER: &str = "all others";
    const NO_VALUE: &str = "no value";
    let label = figures.group.as_ref();
    match label.and_then(|label| label.value.as_ref()) {
        Some(GroupName::Boolean(flag)) => flag.to_string(),
        Some(GroupName::String(text)) => match (text.trim(), printable(text)) {
            (OTHER | NO_VALUE | "", name) => format!("\"{name}\""),
            (_, name) => name.into_owned(),
        },
        None if label.is_some_and(|label| label.other) => OTHER.to_owned(),
        None => NO_VALUE.to_owned(),
    }
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

/// Returns the color of figures of few responses.
pub(super) fn grey() -> Style {
    Style::new().black().bright()
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
