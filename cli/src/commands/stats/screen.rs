//! Draws the statistics in 80 columns.

use std::fmt::Write as _;

use console::Style;
use indicatif::HumanCount;

use super::{Figures, Options};
use crate::text::printable;

const WIDTH: usize = 80;

/// The colors of promoters, passives and detractors.
struct Palette {
    good: Style,
    fair: Style,
    poor: Style,
}

/// Returns the drawing, with a newline at its end.
pub(super) fn draw(options: &Options, figures: &Figures) -> String {
    if figures.displays == 0 {
        return [heading(options), empty(options)].join("\n");
    }
    let palette = Palette {
        good: Style::new().green(),
        fair: Style::new().yellow(),
        poor: Style::new().red(),
    };
    [
        heading(options),
        score(figures, &palette),
        groups(figures, &palette),
        frequencies(figures, &palette),
        totals(figures),
    ]
    .join("\n")
}

/// Returns the project, the period and the filters.
fn heading(options: &Options) -> String {
    let start = match (&options.start, &options.end) {
        (Some(start), _) => format!("from {start}"),
        (None, Some(_)) => "30 days".to_owned(),
        (None, None) => "the last 30 days".to_owned(),
    };
    let end = options.end.as_ref().map(|end| format!(" until {end}"));
    let period = format!("{}, {start}{}", options.project, end.unwrap_or_default());
    let mut text = format!("{}\n", line(&period));
    for filter in &options.filter {
        let _ = writeln!(text, "{}", line(&format!("  where {filter}")));
    }
    text
}

/// Returns the text as one line.
fn line(text: &str) -> String {
    console::truncate_str(&printable(text), WIDTH, "…").into_owned()
}

/// Returns what to do about a period without displays.
fn empty(options: &Options) -> String {
    let filters = match options.filter.as_slice() {
        [] => "",
        _ => ", or omit a filter",
    };
    format!(
        "No displays in this period. Widen it with --start and --end, such as --start 2000-01-01{filters}.\n"
    )
}

/// Returns the NPS, as a number and on a scale from -100 to 100.
fn score(figures: &Figures, palette: &Palette) -> String {
    let style = match figures.nps {
        nps if nps > 0.0 => &palette.good,
        nps if nps < 0.0 => &palette.poor,
        _ => &palette.fair,
    };
    let score = if figures.responses == 0 {
        "no responses".to_owned()
    } else {
        format!("{:+.1}", figures.nps)
    };
    format!(
        "NPS  {}\n{}\n",
        style.apply_to(score),
        scale(figures, style)
    )
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 60
fn scale(figures: &Figures, style: &Style) -> String {
    const MIDDLE: usize = 30;
    let place = (figures.responses > 0).then(|| {
        ((figures.nps + 100.0) * 0.01 * 30.0)
            .round()
            .clamp(0.0, 60.0) as usize
    });
    let line = (0..=2 * MIDDLE).map(|n| match n {
        _ if Some(n) == place => style.apply_to("●").to_string(),
        0 => "├".to_owned(),
        MIDDLE => "┼".to_owned(),
        60 => "┤".to_owned(),
        _ => "─".to_owned(),
    });
    format!("-100 {} +100", line.collect::<String>())
}

/// Returns promoters, passives and detractors, with their shares of the responses.
fn groups(figures: &Figures, palette: &Palette) -> String {
    let groups = [
        ("Promoters", figures.promoters, &palette.good),
        ("Passives", figures.passives, &palette.fair),
        ("Detractors", figures.detractors, &palette.poor),
    ];
    let mut text = String::new();
    for (name, count, style) in groups {
        let line = format!(
            "{name:<10} {:>13} {:>8}  {}",
            HumanCount(count).to_string(),
            percent(count, figures.responses),
            styled(bar(count, figures.responses, 40), style)
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// Returns how often each rating was given.
fn frequencies(figures: &Figures, palette: &Palette) -> String {
    let max = figures.frequency.iter().copied().max().unwrap_or_default();
    let mut text = String::new();
    for (rating, count) in figures.frequency.into_iter().enumerate() {
        let style = match rating {
            0..=6 => &palette.poor,
            7..=8 => &palette.fair,
            _ => &palette.good,
        };
        let bar = styled(bar(count, max, 60), style);
        let _ = writeln!(text, "{rating:>4}  {bar}{}", HumanCount(count));
    }
    text
}

fn totals(figures: &Figures) -> String {
    format!(
        "{} of {} displays answered ({}), {} dismissed\n",
        HumanCount(figures.responses),
        HumanCount(figures.displays),
        percent(figures.responses, figures.displays),
        HumanCount(figures.dismissed)
    )
}

/// Returns a bar of at most `width` columns, in eighths of a column. The bar of a count above zero is
/// visible.
fn bar(count: u64, max: u64, width: u64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if count == 0 || max == 0 {
        return String::new();
    }
    let eighths = u128::from(count) * u128::from(width) * 8 / u128::from(max);
    let eighths = usize::try_from(eighths).unwrap_or_default().max(1);
    let rest = EIGHTHS.get(eighths % 8).copied().unwrap_or_default();
    "█".repeat(eighths / 8) + rest
}

/// Returns the bar in color with a space after it, or nothing if it is empty.
fn styled(bar: String, style: &Style) -> String {
    match bar.as_str() {
        "" => bar,
        _ => format!("{} ", style.apply_to(bar)),
    }
}

#[allow(clippy::cast_precision_loss)] // for people
fn percent(part: u64, whole: u64) -> String {
    match whole {
        0 => "-".to_owned(),
        _ => format!("{:.1} %", 100.0 * part as f64 / whole as f64),
    }
}
