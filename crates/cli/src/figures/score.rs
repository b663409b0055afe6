//! Scores as people read them.

/// Rounds a score to tenths, and half of one away from zero, as the dashboard does. There is no negative
/// zero.
pub(crate) fn rounded(score: f64) -> f64 {
    (score * 10.0).round() / 10.0 + 0.0
}

/// Writes a score, with a real minus sign.
pub(crate) fn shown(score: f64) -> String {
    format!("{:.1}", rounded(score)).replace('-', "−")
}

/// Writes the range around a score: a narrow one with a decimal, without which its ends could be the same.
pub(crate) fn range(low: f64, high: f64) -> String {
    let whole = |end: f64| format!("{}", end.round() + 0.0).replace('-', "−");
    let end = if high - low < 4.0 { shown } else { whole };
    format!("{} to {}", end(low), end(high))
}

/// Writes an end of a change's range with its sign, which a zero has too: it says on which side the end
/// is.
pub(crate) fn signed(points: f64) -> String {
    format!("{:+.1}", (points * 10.0).round() / 10.0).replace('-', "−")
}
