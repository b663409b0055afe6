//! What is said of figures: whether a change is clear, and then where it came from; and that ratings seem to be of
//! another scale. The page says the same (`page/model/sentences.js`).

use super::answer::{Change, Figures, Verdict};
use super::period::{LocalPeriod, local};
use super::score::{range, shown, signed};
use chrono::Datelike as _;

/// Returns whether the score changed clearly.
pub(crate) fn is_clear(whole: &Figures) -> bool {
    let change = whole.change.as_ref();
    change.is_some_and(|change| change.verdict == Verdict::Clear)
}

/// Says that the ratings of unfiltered figures seem to be of another scale: of twenty or more, none is above 5, or 7.
pub(crate) fn warning_of_scale<'a>(
    elements: impl IntoIterator<Item = &'a Figures>,
) -> Option<String> {
    let mut frequency = [0; 11];
    for (count, more) in elements
        .into_iter()
        .flat_map(|it| it.frequency.into_iter().enumerate())
    {
        if let Some(total) = frequency.get_mut(count) {
            *total += more;
        }
    }
    let highest = highest_of_scale(&frequency)?;
    Some(format!(
        "No rating is above {highest}: if the scale ends there, it has no NPS."
    ))
}

/// Returns where the scale of ratings seems to end, if that is not 10.
fn highest_of_scale(frequency: &[u64; 11]) -> Option<usize> {
    const ENOUGH: u64 = 20;
    let count = |first: usize| frequency.iter().skip(first).sum::<u64>();
    let mut scales = [5, 7].into_iter();
    scales.find(|highest| count(0) >= ENOUGH && count(highest + 1) == 0)
}

/// Says how the score of a period changed; where that is clear, also where it came from, if there are groups.
/// `None` without a score, or without a comparison.
pub(crate) fn sentence(
    period: &LocalPeriod,
    whole: &Figures,
    groups: &[Figures],
) -> Option<String> {
    let (change, before) = (whole.change.as_ref()?, whole.before.as_ref()?);
    let earlier = LocalPeriod::of(before.interval.as_ref()?).ok()?;
    let earlier = earlier.name(period.start.year());
    let score = shown(whole.nps?);
    let Some(points) = change.points else {
        return Some(format!(
            "{score}; there are no responses in {earlier} to compare with."
        ));
    };
    let size = shown(points.abs());
    let moved = match size.as_str() {
        "0.0" => format!("unchanged from {earlier}"),
        _ if points > 0.0 => format!("up {size} from {earlier}"),
        _ => format!("down {size} from {earlier}"),
    };
    let [low, high] = [change.low?, change.high?];
    let verdict = match change.verdict {
        Verdict::Clear => {
            let sources =
                sources(points, groups).map_or_else(String::new, |text| format!(" {text}"));
            return Some(format!(
                "{score}, {moved} ({}): clear.{sources}",
                range(low.abs().min(high.abs()), low.abs().max(high.abs()))
            ));
        }
        Verdict::Chance => format!(
            "could be chance: here only changes above about {:.0} points show",
            (high - low) / 2.0
        ),
        Verdict::Few | Verdict::Empty => "too few responses to tell".to_owned(),
        Verdict::Partial => {
            let day = before.since.as_deref().and_then(local);
            let from = day.map_or_else(String::new, |day| day.format(" on %-d %b %Y").to_string());
            format!("nothing to tell, because records begin only{from}")
        }
    };
    Some(format!("{score}, {moved}: {verdict}."))
}

/// Says what a change of so many points comes from, and from which group most.
fn sources(points: f64, groups: &[Figures]) -> Option<String> {
    let changes = groups.iter().map(|figures| figures.change.as_ref());
    let changes: Vec<&Change> = changes.collect::<Option<_>>()?;
    let sum = |part: fn(&Change) -> Option<f64>| -> Option<f64> {
        changes.iter().map(|change| part(change)).sum()
    };
    let mut parts = [
        (sum(|change| change.from_score)?, "how people scored"),
        (sum(|change| change.from_share)?, "who answered"),
    ];
    let towards = |part: f64| part * points.signum();
    parts.sort_by(|(one, _), (other, _)| towards(*other).total_cmp(&towards(*one)));
    let [(first, main), (second, minor)] = parts;
    let both = if towards(second) >= 0.05 {
        " and"
    } else {
        ", not"
    };
    let most = groups.iter().max_by(|one, other| {
        let contribution = |figures: &Figures| figures.change.as_ref()?.contribution();
        let of = |figures| towards(contribution(figures).unwrap_or_default());
        of(one).total_cmp(&of(other))
    })?;
    Some(format!(
        "It comes from {main} ({}){both} from {minor} ({}); most from {} ({}).",
        signed(first),
        signed(second),
        most.group.as_ref()?.words(),
        signed(most.change.as_ref()?.contribution()?),
    ))
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
