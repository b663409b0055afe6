//! Draws intervals and groups as a table: a row for each element, however many there are.

use std::fmt::Write as _;

use console::{Alignment, Style, measure_text_width, pad_str, truncate_str};
use indicatif::HumanCount;

use super::bar::bar;
use super::claims::FEW;
use super::figures::{Figures, Group};
use super::query::Query;
use super::scale;
use crate::score::rounded;
use crate::text::printable;

/// The columns and their widths; a column of width 0 is absent.
struct Columns {
    from: usize,
    group: usize,
    responses: usize,
    bar: usize,
    score: usize,
    interval: usize,
    scale: usize,
}

const GAP: usize = 2;

/// The least width of a bar and a scale that show an interval without its numbers.
const LEAST_DRAWN: usize = 30;

/// Returns the table, at most `width` columns wide, with a header.
pub(super) fn draw(query: &Query, elements: &[Figures], width: usize) -> String {
    let columns = Columns::new(query, elements, width);
    let max = elements.iter().map(|figures| figures.responses).max();
    let mut text = columns.header(query);
    let mut previous = None;
    for figures in elements {
        // Each interval has several groups; its date is drawn once.
        let start = figures.start.as_deref();
        let from = start.filter(|_| start != previous).map_or("", date);
        previous = start;
        let _ = writeln!(text, "{}", columns.row(figures, from, max.unwrap_or(0)));
    }
    let is_few = |figures: &Figures| (1..FEW).contains(&figures.responses);
    if elements.iter().any(is_few) {
        let mark = if columns.scale > 0 { ", ○" } else { "" };
        let _ = writeln!(
            text,
            "Grey{mark}: fewer than {FEW} responses, too few to tell."
        );
    }
    text
}

impl Columns {
    fn new(query: &Query, elements: &[Figures], width: usize) -> Self {
        let widest = |cell: fn(&Figures) -> String, header: &str| {
            let cells = elements
                .iter()
                .map(|figures| measure_text_width(&cell(figures)));
            cells.max().unwrap_or(0).max(header.len())
        };
        let mut columns = Self {
            from: 0,
            group: 0,
            responses: widest(responses, "RESPONSES"),
            bar: 0,
            score: "+100.0".len(),
            interval: 0,
            scale: 0,
        };
        if query.interval.is_some() {
            columns.from = "2026-01-31".len();
        }
        let is_grouped = query.group_by.is_some();
        // Enough of the names of groups, or of the drawings.
        let others = if is_grouped { 12 } else { 40 };
        let interval = "-100.0 to +100.0".len();
        let rest = columns.rest(width);
        // Where a scale would be too narrow to be read, the numbers say more.
        let is_narrow = !is_grouped && rest < LEAST_DRAWN && rest >= interval;
        if query.confidence.is_some() && (is_narrow || rest >= interval + GAP + others) {
            columns.interval = interval;
        }
        // A narrow scale shows little, unless nothing else shows the interval.
        let has_text = query.confidence.is_none() || columns.interval > 0;
        let least_scale = if has_text { 15 } else { 11 };
        let rest = columns.rest(width);
        if is_grouped {
            let half = rest.saturating_sub(GAP) / 2;
            let most = if half < least_scale { rest } else { half };
            columns.group = widest(name, "GROUP").min(most);
        } else {
            let has_only_numbers = is_narrow && columns.interval > 0;
            columns.bar = if has_only_numbers { rest } else { rest / 3 };
        }
        let rest = columns.rest(width);
        if rest >= least_scale {
            columns.scale = scale::fitting(rest, 41);
        }
        columns
    }

    /// Returns the width that is left for another column.
    fn rest(&self, width: usize) -> usize {
        let columns = [
            self.from,
            self.group,
            self.responses,
            self.bar,
            self.score,
            self.interval,
        ];
        let columns = columns.into_iter().filter(|column| *column > 0);
        width.saturating_sub(columns.map(|column| column + GAP).sum())
    }

    fn header(&self, query: &Query) -> String {
        let interval = query.confidence;
        let interval = interval.map_or(String::new(), |percent| format!("{percent}% INTERVAL"));
        let half = self.scale / 2;
        let line = self.line([
            "FROM".to_owned(),
            "GROUP".to_owned(),
            "RESPONSES".to_owned(),
            String::new(),
            "NPS".to_owned(),
            interval,
            format!("{:<half$}0{:>half$}", "-100", "+100"),
        ]);
        format!("{line}\n")
    }

    fn row(&self, figures: &Figures, from: &str, max: u64) -> String {
        let score = figures.score();
        let shown = score.map_or("-".to_owned(), |score| format!("{:+.1}", rounded(score)));
        let shown = format!("{shown:>width$}", width = self.score);
        let interval = figures.interval();
        let interval = interval.map(|(low, high)| format!("{low:+.1} to {high:+.1}"));
        // An interval without displays is a gap.
        let scale = if figures.displays > 0 {
            scale::ROW.draw(figures, self.scale)
        } else {
            String::new()
        };
        let few = figures.responses < FEW;
        let color = if few {
            Style::new()
        } else {
            scale::style(score)
        };
        let line = self.line([
            from.to_owned(),
            name(figures),
            responses(figures),
            bar(figures.responses, max, self.bar),
            color.apply_to(shown).to_string(),
            interval.unwrap_or_default(),
            scale,
        ]);
        if few {
            Style::new().black().bright().apply_to(line).to_string()
        } else {
            line
        }
    }

    /// Returns the cells of the columns that are present, as one line.
    fn line(&self, cells: [String; 7]) -> String {
        use Alignment::{Left, Right};
        let columns = [
            (self.from, Left),
            (self.group, Left),
            (self.responses, Right),
            (self.bar, Left),
            (self.score, Right),
            (self.interval, Right),
            (self.scale, Left),
        ];
        let cells = cells.into_iter().zip(columns);
        let cells = cells.filter(|(_, (width, _))| *width > 0);
        let cells = cells.map(|(cell, (width, alignment))| {
            let cut = truncate_str(&cell, width, "…");
            pad_str(&cut, width, alignment, None).into_owned()
        });
        let cells: Vec<_> = cells.collect();
        cells.join("  ").trim_end().to_owned()
    }
}

/// Returns the date of a timestamp, in its own offset.
fn date(start: &str) -> &str {
    start.get(..10).unwrap_or(start)
}

fn responses(figures: &Figures) -> String {
    match figures.displays {
        0 => "no displays".to_owned(),
        _ => HumanCount(figures.responses).to_string(),
    }
}

/// Returns the name of a group. A value that would be empty, or read as one of the words for what has
/// no value, has quotes.
pub(super) fn name(figures: &Figures) -> String {
    const OTHER: &str = "all others";
    const NO_VALUE: &str = "no value";
    match &figures.group {
        _ if figures.other => OTHER.to_owned(),
        None => NO_VALUE.to_owned(),
        Some(Group::Boolean(flag)) => flag.to_string(),
        Some(Group::String(text)) if [OTHER, NO_VALUE, ""].contains(&text.trim()) => {
            format!("\"{}\"", printable(text))
        }
        Some(Group::String(text)) => printable(text).into_owned(),
    }
}
