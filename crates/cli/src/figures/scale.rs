//! Ratings that seem to be of another scale than 0 to 10.

use response_statistics::Figures;

/// Warns of the ratings of unfiltered figures, if they seem to be of another scale. The page does the same.
pub(crate) fn warning_of_scale<'a>(
    elements: impl IntoIterator<Item = &'a Figures>,
) -> Option<String> {
    let mut frequency = [0_u64; 11];
    for figures in elements {
        for (total, count) in frequency.iter_mut().zip(figures.frequency) {
            *total += u64::from(count);
        }
    }
    let highest = highest_of_scale(&frequency)?;
    Some(format!(
        "All ratings are {highest} or less. If the scale ends at {highest}, this is no NPS."
    ))
}

/// Returns where the scale of ratings may end, if that is not 10: none of three is above 5, or of twenty above 7.
fn highest_of_scale(frequency: &[u64; 11]) -> Option<usize> {
    let all: u64 = frequency.iter().sum();
    let is_end = |end: usize| frequency.iter().take(end + 1).sum::<u64>() == all;
    let ends = [(5, 3), (7, 20)].into_iter();
    let mut found = ends.filter(|(end, least)| all >= *least && is_end(*end));
    found.next().map(|(end, _)| end)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::highest_of_scale;

    #[derive(Deserialize)]
    struct Case {
        frequency: [u64; 11],
        highest: Option<usize>,
    }

    /// The page is asked the same.
    #[test]
    fn ratings_of_another_scale_are_told() {
        let cases = include_str!("../../../../tests/scales.json");
        for Case { frequency, highest } in serde_json::from_str::<Vec<Case>>(cases).unwrap() {
            assert_eq!(highest_of_scale(&frequency), highest, "{frequency:?}");
        }
    }
}
