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

/// Writes an interval, rounded outwards to tenths, as the dashboard does: it never seems narrower than it is.
pub(crate) fn range(low: f64, high: f64) -> String {
    /// What is a tenth but for the error of doubles is one.
    const ERROR: f64 = 1e-9;
    let ends = [
        (low * 10.0 + ERROR).floor() / 10.0,
        (high * 10.0 - ERROR).ceil() / 10.0,
    ];
    ends.map(shown).join(" to ")
}

/// Writes an end of a change's range with its sign, which a zero has too: it says on which side the end
/// is.
pub(crate) fn signed(points: f64) -> String {
    format!("{:+.1}", (points * 10.0).round() / 10.0).replace('-', "−")
}
