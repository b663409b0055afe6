//! Draws the statistics.

use std::fmt::Write as _;

use console::Style;
use indicatif::HumanCount;
use shared::model::{Timestamp, Unit};
use textwrap::WordSplitter;

use super::bar::bar;
use super::figures::Figures;
use super::query::Query;
use super::{claims, filter, scale, table};
use crate::score::rounded;
use crate::text::printable;

/// Returns the drawing, at most `width` columns wide, with a newline at its end.
pub(super) fn draw(query: &Query, elements: &[Figures], width: usize) -> String {
    let heading = heading(query, elements, width);
    if elements.iter().all(|figures| figures.displays == 0) {
        return [heading, none("displays", query, width)].join("\n");
    }
    let drawing = match elements {
        [figures] if !query.is_divided() => [
            score(query, figures, width)
                + &claims::outside(elements).map_or_else(String::new, |it| wrapped(&it, width)),
            groups(figures, width),
            frequencies(figures, width),
        ]
        .join("\n"),
        _ => {
            let sentence = claims::sentence(query, elements, Timestamp::now(), |figures| {
                let name = table::name(figures);
                console::truncate_str(&name, 30, "…").into_owned()
            });
            let sentences = [sentence, claims::outside(elements)].into_iter().flatten();
            let sentences = sentences.map(|sentence| wrapped(&sentence, width));
            let table = table::draw(query, elements, width);
            let parts: Vec<_> = std::iter::once(table).chain(sentences).collect();
            parts.join("\n")
        }
    };
    [heading, drawing, wrapped(&totals(elements), width)].join("\n")
}

/// Returns a sentence in lines of at most `width` columns.
fn wrapped(sentence: &str, width: usize) -> String {
    // A hyphen of an option or a date is no place to break a line.
    let options = textwrap::Options::new(width).word_splitter(WordSplitter::NoHyphenation);
    textwrap::fill(sentence, options) + "\n"
}

/// Returns the project, the period, the filters, and how the records are divided.
fn heading(query: &Query, elements: &[Figures], width: usize) -> String {
    let start = match (&query.start, &query.end) {
        (Some(start), _) => format!("from {start}"),
        (None, Some(_)) => "30 days".to_owned(),
        (None, None) => "the last 30 days".to_owned(),
    };
    let end = query.end.as_ref().map(|end| format!(" until {end}"));
    let zone = query.timezone.as_ref().map(|zone| format!(" ({zone})"));
    let period = [end, zone].into_iter().flatten().collect::<String>();
    let mut lines = vec![format!("{}, {start}{period}", query.project)];
    if query.interval == Some(Unit::All)
        && let Some([start, end]) = elements.first().and_then(Figures::period)
    {
        lines.push(format!("  which is from {start} until {end}"));
    }
    let filters = query.filter.iter();
    lines.extend(filters.map(|filter| format!("  where {}", filter::words(filter))));
    if let Some(interval) = query.interval.filter(|unit| *unit != Unit::All) {
        let days = query.week_start;
        let days = days.map(|day| format!(", from {day}")).unwrap_or_default();
        lines.push(format!("  by {interval}{days}"));
    }
    if query.is_latest() {
        let each = match query.interval {
            None | Some(Unit::All) => "",
            Some(_) => " in each interval",
        };
        lines.push(format!("  the newest rating of each person{each}"));
    }
    let group_by = query.group_by.as_ref();
    lines.extend(group_by.map(|by| {
        let name = by.name.as_str();
        format!("  by the value of {name}, most displays first")
    }));
    let cut = |line: String| {
        let line = printable(&line);
        console::truncate_str(&line, width, "…").into_owned() + "\n"
    };
    lines.into_iter().map(cut).collect()
}

/// Returns what to do about a period without these.
pub(super) fn none(what: &str, query: &Query, width: usize) -> String {
    let others = match query.filter.as_slice() {
        [] => ". A new project gets its records from `feedback import responses`.",
        _ => ", or omit a filter.",
    };
    let sentence =
        format!("No {what} in this period. Widen it, for example with --start 2000-01-01{others}");
    wrapped(&sentence, width)
}

/// Returns the NPS, as a number and on a scale from -100 to 100.
fn score(query: &Query, figures: &Figures, width: usize) -> String {
    let score = figures.score();
    let shown = score.map_or("no responses".to_owned(), |score| {
        format!("{:+.1}", rounded(score))
    });
    let interval = figures.interval().zip(query.confidence);
    let interval = interval
        .map(|((low, high), percent)| format!(", {percent}% interval {low:+.1} to {high:+.1}"));
    format!(
        "NPS  {}{}\n-100 {} +100\n",
        scale::style(score).apply_to(shown),
        interval.unwrap_or_default(),
        scale::RULER.draw(figures, scale::fitting(width - "-100  +100".len(), 61))
    )
}

/// Returns promoters, passives and detractors, with their shares of the responses.
fn groups(figures: &Figures, width: usize) -> String {
    let groups = [
        ("Promoters", figures.promoters, 9),
        ("Passives", figures.passives, 7),
        ("Detractors", figures.detractors, 0),
    ];
    let mut text = String::new();
    for (name, count, rating) in groups {
        let cells = format!(
            "{name:<10} {:>13} {:>8}  ",
            HumanCount(count).to_string(),
            percent(count, figures.responses)
        );
        let widest = width.saturating_sub(cells.len()).min(40);
        let bar = styled(bar(count, figures.responses, widest), rating);
        let _ = writeln!(text, "{}", (cells + &bar).trim_end());
    }
    text
}

/// Returns how often each rating was given.
fn frequencies(figures: &Figures, width: usize) -> String {
    let max = figures.frequency.iter().copied().max().unwrap_or_default();
    let cells = format!("  10   {}", HumanCount(max));
    let widest = width.saturating_sub(cells.len()).min(60);
    let mut text = String::new();
    for (rating, count) in figures.frequency.into_iter().enumerate() {
        let bar = styled(bar(count, max, widest), rating);
        let _ = writeln!(text, "{rating:>4}  {bar}{}", HumanCount(count));
    }
    text
}

/// Returns the totals of all elements.
fn totals(elements: &[Figures]) -> String {
    let sum = |count: fn(&Figures) -> u64| elements.iter().map(count).fold(0, u64::saturating_add);
    // A superseded rating answered its display, too.
    let superseded = sum(|figures| figures.superseded);
    let responses = sum(|figures| figures.responses).saturating_add(superseded);
    let displays = sum(|figures| figures.displays);
    let newest = match superseded {
        0 => String::new(),
        _ => format!(", {} superseded by newer ones", HumanCount(superseded)),
    };
    if responses == displays {
        let noun = if responses == 1 {
            "display"
        } else {
            "displays"
        };
        return format!(
            "{} {noun} answered{newest}; no unanswered displays are recorded",
            HumanCount(responses)
        );
    }
    format!(
        "{} of {} displays answered ({}){newest}, {} dismissed",
        HumanCount(responses),
        HumanCount(displays),
        percent(responses, displays),
        HumanCount(sum(|figures| figures.dismissed))
    )
}

/// Returns the bar of a rating in its color with a space after it, or nothing if it is empty.
fn styled(bar: String, rating: usize) -> String {
    let style = match rating {
        0..=6 => Style::new().red(),
        7..=8 => Style::new().yellow(),
        _ => Style::new().green(),
    };
    match bar.as_str() {
        "" => bar,
        _ => format!("{} ", style.apply_to(bar)),
    }
}

#[allow(clippy::cast_precision_loss)] // for people
fn percent(part: u64, whole: u64) -> String {
    match whole {
        0 => "-".to_owned(),
        _ => format!("{:.1}%", 100.0 * part as f64 / whole as f64),
    }
}
