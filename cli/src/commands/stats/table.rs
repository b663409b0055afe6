//! Draws intervals and groups as a table: a row for each element, however many there are.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::Write as _;

use chrono::{DateTime, Datelike as _, NaiveDate, Utc, Weekday};
use console::{Alignment, Style, measure_text_width, pad_str, truncate_str};
use indicatif::HumanCount;
use shared::model::{Confidence, Unit, WeekStart};

use super::scale;
use crate::figures::{FEW, Figures, GroupLabel, GroupName, LocalPeriod, StatisticsRequest};
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
    let rows = ranked(elements);
    let mut columns = Vec::new();
    let mut add = |header: &str, alignment, cells: Vec<String>| {
        columns.push(TableColumn::new(header, alignment, cells));
    };
    let is_series = query.is_series();
    let running = rows.iter().map(|figures| is_running(query, figures, now));
    let running: Vec<_> = running.collect();
    if let Some(unit) = query.interval.filter(|_| is_series) {
        let names = rows.iter().zip(&running).map(|(figures, running)| {
            let mark = if *running { "*" } else { "" };
            start(figures).map_or_else(String::new, |date| name_of(unit, date) + mark)
        });
        add(&unit.to_string().to_uppercase(), Left, once(names));
    }
    if let Some(by) = &query.group_by {
        let header = printable(by.name.as_str()).to_uppercase();
        add(
            &header,
            Left,
            rows.iter().map(|figures| group(figures)).collect(),
        );
    }
    let percent = query.confidence.map_or(95, Confidence::percent);
    let cells = |cell: fn(&Figures) -> String| rows.iter().map(|figures| cell(figures)).collect();
    add("RESPONSES", Right, cells(responses));
    add(
        "NPS",
        Right,
        cells(|figures| figures.nps.map_or("–".to_owned(), shown)),
    );
    let header = format!("{percent}% INTERVAL");
    add(
        &header,
        Left,
        cells(|figures| scale::interval(figures).unwrap_or_default()),
    );
    let names = usize::from(is_series) + usize::from(query.group_by.is_some());
    fit(&mut columns, names, width, cells(scale::draw));
    write(&columns, &rows, &running)
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

/// Returns the header, the rows and what their marks mean.
fn write(columns: &[TableColumn], rows: &[&Figures], running: &[bool]) -> String {
    let line = |cell: &dyn Fn(&TableColumn) -> String| {
        let cells = columns.iter().map(|column| column.fitted(&cell(column)));
        let line = cells.collect::<Vec<_>>().join(&" ".repeat(GAP));
        line.trim_end().to_owned() + "\n"
    };
    let mut text = line(&|column| column.header.clone());
    for (row, figures) in rows.iter().enumerate() {
        let line = line(&|column| column.cells.get(row).cloned().unwrap_or_default());
        text += &if figures.few {
            let grey = Style::new().black().bright();
            grey.apply_to(line.trim_end()).to_string() + "\n"
        } else {
            line
        };
    }
    if rows
        .iter()
        .any(|figures| figures.few && figures.responses > 0)
    {
        let mark = if columns.iter().any(|column| column.header == scale::HEADER) {
            ", ○"
        } else {
            ""
        };
        let _ = writeln!(text, "Grey{mark}: fewer than {FEW} responses");
    }
    if running.contains(&true) {
        text += "*: not over yet\n";
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

/// Returns the elements in the order of time, and the groups of each interval by their responses in the whole
/// period, descending. All others are last.
fn ranked(elements: &[Figures]) -> Vec<&Figures> {
    let mut totals: HashMap<String, u64> = HashMap::new();
    for figures in elements {
        *totals.entry(group(figures)).or_default() += figures.responses;
    }
    let start = |figures: &Figures| {
        figures
            .interval
            .as_ref()
            .map(|interval| interval.start.clone())
    };
    let intervals = elements.chunk_by(|one, other| start(one) == start(other));
    let ranked = intervals.flat_map(|interval| {
        let mut rows: Vec<_> = interval.iter().collect();
        rows.sort_by_key(|figures| {
            let is_other = figures.group.as_ref().is_some_and(|group| group.other);
            (is_other, Reverse(totals.get(&group(figures)).copied()))
        });
        rows
    });
    ranked.collect()
}

/// Shows a name only where it differs from the one above.
fn once(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut above = None;
    names
        .map(|name| {
            let shown = if above.as_ref() == Some(&name) {
                String::new()
            } else {
                name.clone()
            };
            above = Some(name);
            shown
        })
        .collect()
}

/// Returns the first date of an element, in its zone.
fn start(figures: &Figures) -> Option<NaiveDate> {
    let period = LocalPeriod::of(figures.interval.as_ref()?).ok()?;
    Some(period.start.date())
}

/// Returns whether the calendar's interval that an element shows is not over.
fn is_running(query: &StatisticsRequest, figures: &Figures, now: DateTime<Utc>) -> bool {
    let unit = query.interval.filter(|_| query.is_series());
    let today = query.timezone.clone().unwrap_or_default().local(now).date();
    let week_start = match query.week_start.unwrap_or_default() {
        WeekStart::Monday => Weekday::Mon,
        WeekStart::Sunday => Weekday::Sun,
    };
    let first_day = |unit, date: NaiveDate| match unit {
        Unit::Week => date
            .week(week_start)
            .checked_first_day()
            .map(|day| day.to_string()),
        _ => Some(name_of(unit, date)),
    };
    let date = start(figures);
    unit.zip(date)
        .is_some_and(|(unit, date)| first_day(unit, date) == first_day(unit, today))
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
    match &figures.group {
        Some(GroupLabel { other: true, .. }) => OTHER.to_owned(),
        Some(GroupLabel {
            value: Some(GroupName::Boolean(flag)),
            ..
        }) => flag.to_string(),
        Some(GroupLabel {
            value: Some(GroupName::String(text)),
            ..
        }) => {
            let name = printable(text);
            match text.trim() {
                OTHER | NO_VALUE | "" => format!("\"{name}\""),
                _ => name.into_owned(),
            }
        }
        _ => NO_VALUE.to_owned(),
    }
}
