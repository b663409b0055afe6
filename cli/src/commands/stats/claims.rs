//! What the tables show, in sentences: only differences that chance does not explain, and the dashboard's
//! words.

use chrono::{Datelike as _, NaiveDate, Weekday};
use shared::model::{Confidence, Timestamp, Unit, WeekStart};

use super::change::Change;
use super::figures::Figures;
use super::query::Query;
use crate::score::rounded;

/// Fewer responses than this say little: chance alone moves the score by tens of points.
pub(in crate::commands) const FEW: u64 = 30;

/// Returns the sentence on a table of intervals or of groups, each under its `name`; there is none on groups in intervals.
pub(in crate::commands) fn sentence(
    query: &Query,
    elements: &[Figures],
    now: Timestamp,
    name: fn(&Figures) -> String,
) -> Option<String> {
    match (query.interval, &query.group_by) {
        (Some(Unit::All), None) => None,
        (Some(unit), None) => Some(trend(query, unit, elements, now)),
        (None | Some(Unit::All), Some(_)) => Some(groups(query, elements, name)),
        _ => None,
    }
}

/// Compares the first and the last interval whose scores mean something: none that is cut, or still running.
fn trend(query: &Query, unit: Unit, elements: &[Figures], now: Timestamp) -> String {
    let week_start = query.week_start.unwrap_or_default();
    let begins = |instant: &Option<String>| {
        let instant = instant.as_deref();
        instant.is_some_and(|instant| is_start(unit, week_start, instant))
    };
    let is_over = |figures: &Figures| {
        let end = figures.end.as_deref().and_then(|end| end.parse().ok());
        end.is_some_and(|end: Timestamp| end <= now)
    };
    // Only the first and the last can be cut.
    let last = elements.len().saturating_sub(1);
    let is_whole = |at: usize, figures: &Figures| {
        (at > 0 || begins(&figures.start)) && (at < last || begins(&figures.end))
    };
    let sound = elements.iter().enumerate().filter(|(at, figures)| {
        figures.responses >= FEW && is_whole(*at, figures) && is_over(figures)
    });
    let sound: Vec<_> = sound.map(|(_, figures)| figures).collect();
    let [first, .., last] = sound.as_slice() else {
        return format!(
            "No two complete intervals have at least {FEW} responses, so none are compared."
        );
    };
    let (percent, risk) = confidence(query);
    let change = Change::between(first, last, risk);
    let said = |figures: &Figures| {
        let date = figures.start.as_deref().and_then(|start| start.get(..10));
        format!("{} ({})", score(figures), date.unwrap_or_default())
    };
    format!(
        "From {} to {}: the change of {:+.1} points {} (with {percent}% confidence it lies {}).",
        said(first),
        said(last),
        change.points,
        change.verdict(),
        change.bounds(),
    )
}

/// Says which groups score highest and lowest, where chance does not explain their difference.
fn groups(query: &Query, elements: &[Figures], name: fn(&Figures) -> String) -> String {
    let sound = elements.iter();
    let sound = sound.filter(|figures| figures.responses >= FEW && !figures.other);
    let sound: Vec<_> = sound.collect();
    if sound.len() < 2 {
        return format!(
            "Fewer than two groups have at least {FEW} responses, so none are compared."
        );
    }
    let Some((high, low)) = distinct(&sound, confidence(query).1) else {
        return format!(
            "No difference between the groups with at least {FEW} responses can be told from chance."
        );
    };
    let named = |figures: &Figures| format!("{} ({})", name(figures), score(figures));
    let is_widest = sound
        .iter()
        .all(|figures| figures.score() <= high.score() && figures.score() >= low.score());
    if is_widest {
        return format!(
            "{} scores highest and {} lowest of the groups with at least {FEW} responses; the difference is unlikely to be chance alone.",
            named(high),
            named(low),
        );
    }
    format!(
        "{} scores higher than {}, which is unlikely to be chance alone. Which group scores highest or lowest cannot be told from chance.",
        named(high),
        named(low),
    )
}

/// Returns the two groups that differ most, the higher one first, of those pairs whose difference chance does not
/// explain. Of many pairs, some differ by chance, so each has its part of the risk (Bonferroni).
#[allow(clippy::cast_precision_loss)] // at most 100 groups
fn distinct<'a>(groups: &[&'a Figures], risk: f64) -> Option<(&'a Figures, &'a Figures)> {
    let pairs = (groups.len() * groups.len().saturating_sub(1)) as f64 / 2.0;
    let mut found = None;
    let mut widest = 0.0;
    for high in groups {
        for low in groups {
            let change = Change::between(low, high, risk / pairs);
            if change.low > 0.0 && change.points > widest {
                widest = change.points;
                found = Some((*high, *low));
            }
        }
    }
    found
}

/// Explains a score outside its interval, if there is one.
pub(in crate::commands) fn outside(elements: &[Figures]) -> Option<String> {
    let outside = elements.iter().filter(|figures| {
        let interval = figures.interval().zip(figures.score());
        interval.is_some_and(|((low, high), score)| score < low || score > high)
    });
    let most = outside.map(|figures| figures.responses).max()?;
    let few = if most == 1 {
        "one response"
    } else {
        "so few responses"
    };
    Some(format!(
        "The score of {few} can lie outside its interval, which allows for customers who would rate differently."
    ))
}

/// Returns the percentage that was asked for, or 95, and the probability that an interval misses.
pub(in crate::commands) fn confidence(query: &Query) -> (u8, f64) {
    let percent = query.confidence.map_or(95, Confidence::percent);
    (percent, f64::from(100 - percent) / 100.0)
}

pub(in crate::commands) fn score(figures: &Figures) -> String {
    format!("{:+.1}", rounded(figures.score().unwrap_or_default()))
}

/// Returns whether an interval of the calendar starts at this timestamp, which has the zone's offset.
fn is_start(unit: Unit, week_start: WeekStart, instant: &str) -> bool {
    let Some((date, time)) = instant.split_once('T') else {
        return false;
    };
    let Ok(date) = date.parse::<NaiveDate>() else {
        return false;
    };
    let first_of_week = match week_start {
        WeekStart::Monday => Weekday::Mon,
        WeekStart::Sunday => Weekday::Sun,
    };
    time.starts_with("00:00:00.000")
        && match unit {
            Unit::All => false,
            Unit::Day => true,
            Unit::Week => date.weekday() == first_of_week,
            Unit::Month => date.day() == 1,
            Unit::Quarter => date.day() == 1 && date.month0() % 3 == 0,
            Unit::Year => date.ordinal() == 1,
        }
}

#[cfg(test)]
mod tests {
    use shared::model::{Unit, WeekStart};

    use super::is_start;

    #[test]
    fn an_interval_starts_at_midnight_of_its_first_day() {
        let monday = WeekStart::Monday;
        for (unit, week_start, instant, expected) in [
            (Unit::Day, monday, "2026-03-02T00:00:00.000Z", true),
            (Unit::Day, monday, "2026-03-02T00:00:00.001Z", false),
            (Unit::Week, monday, "2026-03-02T00:00:00.000+01:00", true),
            (Unit::Week, monday, "2026-03-01T00:00:00.000+01:00", false),
            (
                Unit::Week,
                WeekStart::Sunday,
                "2026-03-01T00:00:00.000Z",
                true,
            ),
            (
                Unit::Week,
                WeekStart::Sunday,
                "1969-12-28T00:00:00.000Z",
                true,
            ),
            (Unit::Month, monday, "2026-03-01T00:00:00.000Z", true),
            (Unit::Month, monday, "2026-03-02T00:00:00.000Z", false),
            (Unit::Quarter, monday, "2026-04-01T00:00:00.000Z", true),
            (Unit::Quarter, monday, "2026-03-01T00:00:00.000Z", false),
            (Unit::Year, monday, "2026-01-01T00:00:00.000Z", true),
            (Unit::Year, monday, "2026-04-01T00:00:00.000Z", false),
            (Unit::Month, monday, "2026-03-01T12:00:00.000Z", false),
        ] {
            assert_eq!(
                is_start(unit, week_start, instant),
                expected,
                "{unit} {instant}"
            );
        }
    }
}
