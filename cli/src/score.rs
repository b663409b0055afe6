//! Scores as people read them.

/// Rounds a score to tenths, and half of one away from zero, as the dashboard does. There is no negative zero.
pub(crate) fn rounded(score: f64) -> f64 {
    (score * 10.0).round() / 10.0 + 0.0
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn half_a_tenth_is_rounded_away_from_zero() {
        for (score, shown) in [
            (6.25, "+6.3"),
            (-6.25, "-6.3"),
            (-0.04, "+0.0"),
            (100.0, "+100.0"),
        ] {
            assert_eq!(format!("{:+.1}", rounded(score)), shown);
        }
    }
}
