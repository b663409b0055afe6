//! Draws scores on a scale from -100 to 100.

use console::Style;

use super::claims::FEW;
use super::figures::Figures;

/// The characters of a scale.
pub(super) struct Scale {
    left: char,
    line: char,
    zero: char,
    right: char,
    /// The interval of the score, and where it crosses zero.
    interval: char,
    interval_at_zero: char,
    /// Whether a score of few responses is hollow, and without color.
    hollow: bool,
}

/// A scale that stands alone.
pub(super) const RULER: Scale = Scale {
    left: '├',
    line: '─',
    zero: '┼',
    right: '┤',
    interval: '═',
    interval_at_zero: '╪',
    hollow: false,
};

/// A scale among others, with only its zero drawn.
pub(super) const ROW: Scale = Scale {
    left: ' ',
    line: ' ',
    zero: '│',
    right: ' ',
    interval: '─',
    interval_at_zero: '┼',
    hollow: true,
};

impl Scale {
    /// Returns the scale, `width` columns wide, with the score in color. An odd width has its zero in
    /// the middle.
    pub(super) fn draw(&self, figures: &Figures, width: usize) -> String {
        let place = |score| place(score, width);
        let score = figures.score().map(place);
        let interval = figures.interval();
        let interval = interval.map(|(low, high)| place(low)..=place(high));
        let column = |n| {
            let within = interval.as_ref().is_some_and(|range| range.contains(&n));
            let character = match n {
                _ if Some(n) == score && self.hollow && figures.responses < FEW => '○',
                _ if Some(n) == score => {
                    return style(figures.score()).apply_to('●').to_string();
                }
                _ if n == width / 2 && within => self.interval_at_zero,
                _ if within => self.interval,
                _ if n == width / 2 => self.zero,
                0 => self.left,
                _ if n + 1 == width => self.right,
                _ => self.line,
            };
            character.to_string()
        };
        (0..width).map(column).collect()
    }
}

/// Returns the width of the widest scale that fits and has a zero in its middle, at most `most` columns.
pub(super) fn fitting(width: usize, most: usize) -> usize {
    (width.min(most).saturating_sub(1)) / 2 * 2 + 1
}

/// Returns the color of a score.
pub(super) fn style(score: Option<f64>) -> Style {
    match score {
        Some(score) if score > 0.0 => Style::new().green(),
        Some(score) if score < 0.0 => Style::new().red(),
        Some(_) => Style::new().yellow(),
        None => Style::new(),
    }
}

/// Returns the column of a score, from 0 to `width` - 1.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss
)] // the number of a column
fn place(score: f64, width: usize) -> usize {
    let last = width.saturating_sub(1) as f64;
    ((score + 100.0) / 200.0 * last).round().clamp(0.0, last) as usize
}
