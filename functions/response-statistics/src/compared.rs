//! What a comparison adds to the document: to each element its earlier figures and its change, and what is said of the
//! whole (contract, section 4).

use model::{Respondents, Timestamp};
use serde::{Deserialize, Serialize};

use crate::change::{Change, PairedKinds, changes};
use crate::comparison::Comparison;
use crate::contribution::{Contribution, Parts};
use crate::figures::{Figures, TimeSpan};
use crate::joined_groups::JoinedGroups;
use crate::period_name;
use crate::query::{Breakdown, StatisticsQuery};
use crate::summary::{ComparedGroups, Summary};
use crate::tally::OutcomeTally;

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
        Self {
            before: Before {
                interval: TimeSpan::default(),
                since: None,
                figures: Figures::new(breakdown, &OutcomeTally::default()),
            },
            change: ElementChange::default(),
        }
    }
}

/// The change of an element, and what it adds to that of the whole.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
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

impl WholeChange {
    fn new(change: Change, parts: Option<Parts>) -> Self {
        Self {
            change,
            from_score: parts.map(|parts| parts.score),
            from_share: parts.map(|parts| parts.share),
            from_one_period: parts.map(|parts| parts.one_period),
        }
    }
}

/// Compares each of these groups, and all of them together, with the earlier period. The project's first record was
/// created then, if it has one.
pub(crate) fn compare(
    query: &StatisticsQuery,
    breakdown: &Breakdown,
    comparison: &Comparison,
    groups: &JoinedGroups<'_>,
    first_record: Option<Timestamp>,
) -> (Vec<Compared>, Meta) {
    let Comparison { period, zone, .. } = comparison;
    let confidence = breakdown.confidence.unwrap_or_default();
    let since = first_record.filter(|first| *first > period.start);
    let missing = since.map_or(0, |first| first.min(period.end).millis_since(period.start));
    let is_partial = 10 * missing > period.end.millis_since(period.start);

    let pairs = groups.pairs_of_elements();
    let changes = changes(&pairs, confidence, is_partial);
    let [before, after] = groups.whole();
    let whole = PairedKinds::of(&before, &after).change_alone(confidence, is_partial);
    let summary = Summary {
        change: &whole,
        before: &before,
        after: &after,
        earlier: period_name::name(*period, query.period, zone),
        first_day: since.map(|first| zone.local(first.into()).date()),
        confidence,
        are_selected: !query.filters.is_empty() || breakdown.respondents == Respondents::Latest,
        progress: query.progress,
        groups: breakdown.group_by.as_ref().map(|by| ComparedGroups {
            by: &by.name,
            changes: groups
                .after
                .iter()
                .filter_map(|column| column.group)
                .zip(&changes)
                .collect(),
            others: groups.all.others(),
        }),
    };
    let meta = Meta {
        summary: summary.text(),
        change: breakdown
            .group_by
            .as_ref()
            .map(|_| WholeChange::new(whole, groups.all.parts_of_all())),
    };

    let contributions = match &breakdown.group_by {
        Some(_) => groups.all.contributions(),
        None => vec![Contribution::default()],
    };
    let write = |at: Timestamp| zone.write(at.into());
    let compared = |((tally, change), contribution)| Compared {
        before: Before {
            interval: TimeSpan {
                start: write(period.start),
                end: write(period.end),
            },
            since: since.map(write),
            figures: Figures::new(breakdown, tally),
        },
        change: ElementChange {
            change,
            contribution,
        },
    };
    let columns = groups.before.iter().zip(changes).zip(contributions);
    (columns.map(compared).collect(), meta)
}
