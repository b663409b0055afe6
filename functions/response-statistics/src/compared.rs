//! What a comparison adds to the document: to each element its earlier figures and its change, and what is said of the
//! whole (contract, section 4).

use model::Timestamp;
use serde::{Deserialize, Serialize};

use crate::change::{Change, Pair, changes};
use crate::comparison::Comparison;
use crate::contribution::Contribution;
use crate::counts::GroupSeries;
use crate::document::{Figures, TimeSpan};
use crate::earlier::EarlierCounts;
use crate::period_name;
use crate::query::{Breakdown, StatisticsQuery};
use crate::summary::{ComparedGroups, Summary};
use crate::tally::Tally;

/// What is added to an element.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Compared {
    pub before: Before,
    pub change: ElementChange,
}

/// The figures of the earlier period.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Before {
    #[serde(flatten)]
    interval: TimeSpan,
    /// When the project's first record was created, if that is after the start.
    since: Option<String>,
    #[serde(flatten)]
    pub figures: Figures,
}

impl Compared {
    /// Returns what is added to an element if neither period has records.
    pub(crate) fn of_no_record(breakdown: &Breakdown) -> Self {
        let confidence = breakdown.confidence.unwrap_or_default();
        let change = Pair::default().change_alone(confidence, false);
        Self {
            before: Before {
                interval: TimeSpan::default(),
                since: None,
                figures: Figures::new(breakdown, &Tally::default()),
            },
            change: ElementChange {
                change,
                contribution: Contribution::default(),
            },
        }
    }
}

/// The change of an element, and what it adds to that of the whole.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ElementChange {
    #[serde(flatten)]
    pub change: Change,
    #[serde(flatten)]
    pub contribution: Contribution,
}

/// What is added to the document.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Meta {
    pub summary: String,
    /// The change of the whole, where elements are groups of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<WholeChange>,
}

/// The change of the whole score, and what groups add to it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WholeChange {
    #[serde(flatten)]
    change: Change,
    from_score: Option<f64>,
    from_share: Option<f64>,
    from_one_period: Option<f64>,
}

/// Compares the elements of these groups, and all of them together, with the earlier period. The project's first record
/// was created then.
pub(crate) fn compare(
    query: &StatisticsQuery,
    breakdown: &Breakdown,
    Comparison { period, zone, .. }: &Comparison,
    columns: &[GroupSeries<'_>],
    earlier: &EarlierCounts<'_>,
    first_record: Option<Timestamp>,
) -> (Vec<Compared>, Meta) {
    let confidence = breakdown.confidence.unwrap_or_default();
    let since = first_record.filter(|first| *first > period.start);
    let missing = since.map_or(0, |first| first.min(period.end).millis_since(period.start));
    let is_partial = 10 * missing > period.end.millis_since(period.start);

    let before: Vec<_> = earlier.shown.iter().chain([&earlier.others]).collect();
    let after: Vec<_> = columns
        .iter()
        .map(|column| column.series.tally(0..1))
        .collect();
    let pairs: Vec<_> = before
        .iter()
        .zip(&after)
        .map(|(before, after)| Pair::of(before, after))
        .collect();
    let changes = changes(&pairs, confidence, is_partial);
    let whole_before: Tally = before.iter().copied().sum();
    let whole_after: Tally = after.iter().sum();
    let whole = Pair::of(&whole_before, &whole_after).change_alone(confidence, is_partial);

    let groups = breakdown.group_by.as_ref().map(|by| (by, earlier.groups()));
    let summary = Summary {
        change: &whole,
        before: &whole_before,
        after: &whole_after,
        earlier: period_name::name(*period, query.period, zone),
        first_day: since.map(|first| zone.local(first.into()).date()),
        still_runs: query.still_runs,
        groups: groups.as_ref().map(|(by, groups)| ComparedGroups {
            by: &by.name,
            changes: columns
                .iter()
                .filter_map(|column| column.group)
                .zip(&changes)
                .collect(),
            mix: groups.mix(confidence),
        }),
    };
    let meta = Meta {
        summary: summary.text(),
        change: groups.as_ref().map(|(_, groups)| {
            let parts = groups.parts_of_all();
            WholeChange {
                change: whole,
                from_score: parts.map(|parts| parts.score),
                from_share: parts.map(|parts| parts.share),
                from_one_period: parts.map(|parts| parts.one_period),
            }
        }),
    };

    let contributions = groups
        .iter()
        .flat_map(|(_, groups)| groups.contributions(earlier.shown.len()));
    let mut contributions = contributions.fuse();
    let write = |at: Timestamp| zone.write(at.into());
    let compared = changes.iter().zip(before).map(|(change, tally)| Compared {
        before: Before {
            interval: TimeSpan {
                start: write(period.start),
                end: write(period.end),
            },
            since: since.map(write),
            figures: Figures::new(breakdown, tally),
        },
        change: ElementChange {
            change: *change,
            contribution: contributions.next().unwrap_or_default(),
        },
    });
    (compared.collect(), meta)
}
