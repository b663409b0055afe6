//! Draws intervals and groups as a table: a line for each element, however many there are.

use std::fmt::Write as _;

use chrono::{DateTime, Datelike as _, NaiveDate, NaiveDateTime, Utc};
use console::{Alignment, measure_text_width, pad_str, truncate_str};
use indicatif::HumanCount;
use model::{Confidence, Unit};

use super::scale;
use crate::figures::{FEW, Figures, GroupName, LocalPeriod, StatisticsRequest};
use crate::score::shown;
use crate::text::printable;

const GAP: usize = 3;

/// A column, and its cells.
struct TableColumn {
    header: String,
    alignment: Alignment,
    cells: Vec<String>,
    width: usize,
}

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
    fit(&mut columns, names, width, cells(scale::draw));
    let mut text = write(&columns, elements);
    if elements.iter().any(running) {
        text += "*: not over yet\n";
    }
    text
}

/// Cuts the last of the columns of names to what is left, and adds scales if they fit beside it.
fn fit(columns: &mut Vec<TableColumn>, names: usize, width: usize, scales: Vec<String>) {
    /// Enough of a name to tell it from others.
    const NAME: usize = 16;
    let used: usize = columns.iter().map(|column| column.width + GAP).sum();
    let Some(name) = columns.get_mut(names.saturating_sub(1)) else {
        return;
    };
    let left = (width + GAP + name.width).saturating_sub(used);
    let beside_scale = left.saturating_sub(GAP + scale::WIDTH);
    let has_scale = beside_scale >= name.width.min(NAME);
    name.width = name.width.min(if has_scale { beside_scale } else { left });
    if has_scale {
        columns.push(TableColumn::new(scale::HEADER, Alignment::Left, scales));
    }
}

/// Returns the header, a line for each element, and what the color of lines means.
fn write(columns: &[TableColumn], elements: &[Figures]) -> String {
    let line = |cell: &dyn Fn(&TableColumn) -> String| {
        let cells = columns.iter().map(|column| column.fitted(&cell(column)));
        let line = cells.collect::<Vec<_>>().join(&" ".repeat(GAP));
        line.trim_end().to_owned() + "\n"
    };
    let mut text = line(&|column| column.header.clone());
    for (n, figures) in elements.iter().enumerate() {
        let line = line(&|column| column.cells.get(n).cloned().unwrap_or_default());
        text += &if figures.few {
            scale::grey().apply_to(line.trim_end()).to_string() + "\n"
        } else {
            line
        };
    }
    let is_grey = |figures: &Figures| figures.few && figures.responses > 0;
    if elements.iter().any(is_grey) {
        let has_scale = columns.iter().any(|it| it.header == scale::HEADER);
        let mark = if has_scale { ", ○" } else { "" };
        let _ = writeln!(text, "Grey{mark}: fewer than {FEW} responses");
    }
    text
}

impl TableColumn {
    fn new(header: &str, alignment: Alignment, cells: Vec<String>) -> Self {
        let widths = cells.iter().map(|cell| measure_text_width(cell));
        let width = widths.max().unwrap_or(0).max(measure_text_width(header));
        Self {
            header: header.to_owned(),
            alignment,
            cells,
            width,
        }
    }

    fn fitted(&self, cell: &str) -> String {
        let cut = truncate_str(cell, self.width, "…");
        pad_str(&cut, self.width, self.alignment, None).into_owned()
    }
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
