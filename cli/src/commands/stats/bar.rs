//! Draws counts as bars.

/// Returns a bar of at most `width` columns, in eighths of a column. The bar of a count above zero is
/// visible.
pub(super) fn bar(count: u64, max: u64, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if count == 0 || max == 0 {
        return String::new();
    }
    let eighths = u128::from(count) * width as u128 * 8 / u128::from(max);
    let eighths = usize::try_from(eighths).unwrap_or_default().max(1);
    let rest = EIGHTHS.get(eighths % 8).copied().unwrap_or_default();
    "█".repeat(eighths / 8) + rest
}
