//! The range around a score, on a scale from -100 to 100.

use console::Style;

use crate::figures::Figures;

/// The width of a scale: a column is ten points, and zero is in the middle.
pub(super) const WIDTH: usize = 21;

/// The ends of a scale, and its zero.
pub(super) const HEADER: &str = "−100      0      +100";

/// Returns a scale with the score, hollow if there are few responses, and its range.
pub(super) fn draw(figures: &Figures) -> String {
    let score = figures.nps.map(place);
    let range = figures.nps_low.zip(figures.nps_high);
    let range = range.map(|(low, high)| place(low)..=place(high));
    let column = |n| {
        let within = range.as_ref().is_some_and(|range| range.contains(&n));
        match (within, n == WIDTH / 2) {
            _ if Some(n) == score && figures.few => "○".to_owned(),
            _ if Some(n) == score => {
                let style = style(figures.nps.unwrap_or_default());
                style.apply_to("●").to_string()
            }
            (true, true) => "┼".to_owned(),
            (true, false) => "─".to_owned(),
            (false, true) => "│".to_owned(),
            (false, false) => " ".to_owned(),
        }
    };
    (0..WIDTH).map(column).collect()
}

/// Returns the color of figures of few responses.
pub(super) fn grey() -> Style {
    Style::new().black().bright()
}

/// Returns the color of a score.
pub(super) fn style(score: f64) -> Style {
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
    let last = (WIDTH - 1) as f64;
    ((score + 100.0) / 200.0 * last).round().clamp(0.0, last) as usize
}
