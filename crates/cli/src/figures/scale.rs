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
        "All ratings are {highest} or less. If the survey asks 0–{highest}, this is no NPS."
    ))
}

/// Returns where the scale of ratings seems to end, if that is not 10: none of twenty is above 5 or 7, or all of eight
/// are stars, from 1 to 5.
fn highest_of_scale(frequency: &[u64; 11]) -> Option<usize> {
    let [zeros, ..] = frequency;
    let above = |rating: usize| frequency.iter().skip(rating + 1).sum::<u64>();
    let all = zeros + above(0);
    if all >= 20 {
        return [5, 7].into_iter().find(|highest| above(*highest) == 0);
    }
    (all >= 8 && *zeros == 0 && above(5) == 0).then_some(5)
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
