//! Draws what `stats` shows: the figures of a period and what divides them, or the traits of its records.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use console::{Alignment, Style, measure_text_width, truncate_str};
use indicatif::HumanCount;
use model::{Confidence, ProjectId, TraitFilter, TraitValue};
use response_statistics::score::{range, shown};
use response_statistics::{ENOUGH, Figures, words};

use super::breakdown::{self, color_of, soft};
use super::period_summary::PeriodSummary;
use crate::figures::{StatisticsRequest, Trait, warning_of_scale};
use crate::terminal_table::{self, TableColumn};
use crate::text::{counted, printable};

/// Returns the drawing, at most `width` columns wide, with a newline at its end.
pub(super) fn draw(
    query: &StatisticsRequest,
    summary: &PeriodSummary,
    share: Option<&str>,
    now: DateTime<Utc>,
    width: usize,
) -> String {
    let figures = &summary.figures;
    let mut parts = vec![heading(query, summary, width)];
    if figures.displays == 0 {
        parts.extend(change(summary, width));
        return parts.join("\n");
    }
    parts.extend([score(query, summary, share, width), totals(figures, width)]);
    if figures.responses > 0 {
        parts.push(kinds(figures, width));
    }
    if !summary.divided.is_empty() {
        parts.push(breakdown::draw(query, summary, now, width));
    } else if figures.responses > 0 {
        parts.push(ratings(figures, width));
    }
    parts.join("\n")
}

/// Returns a line for each trait and type, those of the most displays first. Names that do not fit are cut.
pub(super) fn draw_traits(traits: &[Trait], width: usize) -> String {
    const GAP: usize = 2;
    let column = |header, alignment, cell: &dyn Fn(&Trait) -> String| {
        TableColumn::new(header, alignment, traits.iter().map(cell).collect())
    };
    let count = |found: &Trait| HumanCount(found.displays).to_string();
    let displays = column("DISPLAYS", Alignment::Right, &count).at_least(11);
    let kind = |found: &Trait| printable(&found.kind).into_owned();
    let kinds = column("TYPE", Alignment::Left, &kind).at_least(7);
    let room = width.saturating_sub(displays.width + kinds.width + 2 * GAP);
    let name = |found: &Trait| {
        let mark = if found.private {
            "  (private: filter only)"
        } else {
            ""
        };
        let name = printable(&found.name);
        truncate_str(&name, room.saturating_sub(mark.len()), "…").into_owned() + mark
    };
    let names = column("NAME", Alignment::Left, &name);
    let table = terminal_table::draw(&[displays, kinds, names], GAP);
    let lines = [table.header].into_iter().chain(table.rows);
    lines.map(|line| line + "\n").collect()
}

/// Returns the project, the period and the filters.
fn heading(query: &StatisticsRequest, summary: &PeriodSummary, width: usize) -> String {
    let project = query.project.as_ref().map_or("", ProjectId::as_str);
    let first = if query.is_undated {
        format!("{project}, without dates")
    } else {
        let period = words(summary.period.start, summary.period.end);
        format!("{project}, {period} ({})", query.zone())
    };
    let cut = |line: String| truncate_str(&printable(&line), width, "…").into_owned() + "\n";
    let mut text = line(&[printable(&first).into_owned()], 0, width);
    text.extend(query.filter.iter().map(condition).map(cut));
    if query.is_latest() {
        let each = if query.is_series() {
            " in each interval"
        } else {
            ""
        };
        let which = format!("  the newest rating of each person{each}");
        text += &line(&[which], 0, width);
    }
    text
}

/// Returns a filter in words, with quotes around a string.
fn condition(filter: &TraitFilter) -> String {
    let (_, operator, text) = filter.condition.texts();
    let value = match &filter.condition.value {
        TraitValue::String(value) => format!("{value:?}"),
        TraitValue::Strings(values) => {
            let quoted: Vec<_> = values.iter().map(|value| format!("{value:?}")).collect();
            quoted.join(", ")
        }
        TraitValue::Number(_) | TraitValue::Boolean(_) => text,
    };
    format!("  where {} {operator} {value}", filter.name.as_str())
}

/// Joins parts of a line with these gaps, or puts each on a line of its own if they do not fit.
fn line(parts: &[String], gap: usize, width: usize) -> String {
    let line = parts.join(&" ".repeat(gap)) + "\n";
    if measure_text_width(&line) <= width {
        line
    } else {
        let parts = parts.iter().map(|part| wrapped(part, width));
        parts.collect()
    }
}

/// Breaks a sentence into lines.
pub(super) fn wrapped(sentence: &str, width: usize) -> String {
    let mut text = String::new();
    let mut line = String::new();
    for word in sentence.split(' ') {
        if !line.is_empty() && measure_text_width(&line) + 1 + measure_text_width(word) > width {
            text += &(line + "\n");
            line = String::new();
        } else if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    text + &line + "\n"
}

/// Returns a warning of the scale if there is one, the score with its range, how many rows it is of if not of all, and
/// what is said of its change.
fn score(
    query: &StatisticsRequest,
    summary: &PeriodSummary,
    share: Option<&str>,
    width: usize,
) -> String {
    let figures = &summary.figures;
    let scale = query.filter.is_empty().then(|| warning_of_scale([figures]));
    let scale = scale.flatten().map(|warning| wrapped(&warning, width));
    let score = match figures.score() {
        None => "NPS –\n".to_owned(),
        Some(nps) => score_line(query, figures, nps, share, width),
    };
    let parts = [scale, Some(score), change(summary, width)];
    parts.into_iter().flatten().collect()
}

/// Returns what is said of the change, if there is a comparison.
fn change(summary: &PeriodSummary, width: usize) -> Option<String> {
    let change = summary.change.as_ref()?;
    Some(wrapped(&printable(change), width))
}

fn score_line(
    query: &StatisticsRequest,
    figures: &Figures,
    nps: f64,
    share: Option<&str>,
    width: usize,
) -> String {
    let (strong, style) = if figures.are_few() {
        (Style::new(), soft())
    } else {
        (color_of(nps).bold(), Style::new())
    };
    let percent = query.confidence.map_or(95, Confidence::percent);
    let mut parts = vec![format!("NPS {}", strong.apply_to(shown(nps)))];
    let ends = figures.score_range();
    parts.extend(ends.map(|(low, high)| format!("{percent}% interval {}", range(low, high))));
    parts.extend(share.map(str::to_owned));
    let few = format!("fewer than {ENOUGH} responses");
    parts.extend(figures.are_few().then_some(few));
    let styled = parts.iter().map(|part| style.apply_to(part).to_string());
    line(&styled.collect::<Vec<_>>(), 5, width)
}

/// Returns how often the survey was shown, answered and dismissed.
fn totals(figures: &Figures, width: usize) -> String {
    // A rating that a newer one supersedes was an answer, too.
    let superseded = figures.superseded.unwrap_or_default();
    let answered = u64::from(figures.responses) + u64::from(superseded);
    let displays = figures.displays.into();
    let mut parts = if answered == displays {
        let surveys = counted(answered, "survey");
        vec![format!("{surveys} answered, no others are counted")]
    } else {
        let share = percent(answered, displays);
        vec![
            format!("{} shown", counted(displays, "survey")),
            format!("{} answered ({share})", HumanCount(answered)),
            format!("{} dismissed", HumanCount(figures.dismissed.into())),
        ]
    };
    if superseded > 0 {
        let superseded = HumanCount(superseded.into());
        parts.push(format!("{superseded} superseded by newer ones"));
    }
    line(&parts, 4, width)
}

/// Returns promoters, passives and detractors, with their shares of the responses.
fn kinds(figures: &Figures, width: usize) -> String {
    let kinds = [
        ("Promoters", figures.promoters, 9),
        ("Passives", figures.passives, 7),
        ("Detractors", figures.detractors, 0),
    ];
    let mut text = String::new();
    for (name, count, rating) in kinds {
        let shown = HumanCount(count.into()).to_string();
        let share = percent(count.into(), figures.responses.into());
        let cells = format!("{name:<10}  {shown:>5}  {share:>6}  ");
        let widest = width.saturating_sub(cells.len()).min(40);
        let bar = bar(count, figures.responses, widest, rating);
        let _ = writeln!(text, "{}", (cells + &bar).trim_end());
    }
    text
}

/// Returns how often each rating was given.
fn ratings(figures: &Figures, width: usize) -> String {
    let max = figures.frequency.iter().copied().max().unwrap_or_default();
    let others = format!("  10   {}", HumanCount(max.into())).len();
    let widest = width.saturating_sub(others).min(60);
    let mut text = String::new();
    for (rating, count) in figures.frequency.into_iter().enumerate() {
        let bar = bar(count, max, widest, rating);
        let gap = if bar.is_empty() { "" } else { " " };
        let _ = writeln!(text, "{rating:>4}  {bar}{gap}{}", HumanCount(count.into()));
    }
    text
}

/// Returns a bar of at most `width` columns, in eighths of a column, in the color of a rating. The bar of a
/// count above zero is visible.
fn bar(count: u32, max: u32, width: usize, rating: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if count == 0 || max == 0 {
        return String::new();
    }
    let eighths = u128::from(count) * width as u128 * 8 / u128::from(max);
    let eighths = usize::try_from(eighths).unwrap_or_default().max(1);
    let rest = EIGHTHS.get(eighths % 8).copied().unwrap_or_default();
    let style = match rating {
        0..=6 => Style::new().red(),
        7..=8 => Style::new().yellow(),
        _ => Style::new().green(),
    };
    style.apply_to("█".repeat(eighths / 8) + rest).to_string()
}

#[allow(clippy::cast_precision_loss)] // for people
fn percent(part: u64, whole: u64) -> String {
    format!("{}%", shown(100.0 * part as f64 / whole as f64))
}
