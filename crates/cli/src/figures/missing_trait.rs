//! Traits that were asked for, and that no record has.

use std::fmt;

use model::{GroupBy, GroupKind, TraitFilter, TraitName, TraitType};

use super::answer::{Figures, GroupName, Trait, parse};
use super::statistics::Statistics;
use super::statistics_request::StatisticsRequest;
use crate::text::printable;

/// A trait that was asked for as a type, and that no record of the period has.
#[derive(Debug)]
pub(crate) struct MissingTrait {
    name: String,
    kind: String,
    /// The value that was to be filtered by; `None` if it was to be grouped by.
    value: Option<String>,
    /// The type that it has instead.
    found: Option<String>,
    /// A trait whose name differs by at most two letters. It is data of records.
    pub(crate) nearest: Option<String>,
}

impl fmt::Display for MissingTrait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = printable(&self.name);
        match self.found.as_deref() {
            Some("number") if self.value.is_none() => write!(
                f,
                "`{name}` is a number, and numbers cannot be grouped; filter by it, such as {name}=number.gte:10"
            ),
            Some("number") => {
                let meant = self.filter("number.eq", "10");
                write!(f, "`{name}` is a number; write {meant}")
            }
            Some("boolean") if self.value.is_some() => {
                let meant = self.filter("boolean.eq", "true");
                write!(f, "`{name}` is a boolean; write {meant}")
            }
            Some(found) => {
                let found = printable(found);
                write!(f, "`{name}` is of the type {found}, not {}", self.kind)
            }
            None => write!(f, "no record of this period has the {} `{name}`", self.kind),
        }
    }
}

impl MissingTrait {
    /// Makes one of a trait that is asked for, as long as nothing is known of those that there are.
    fn wanted(name: &TraitName, kind: String, value: Option<String>) -> Self {
        Self {
            name: name.as_str().to_owned(),
            kind,
            value,
            found: None,
            nearest: None,
        }
    }

    /// Returns whether records can be grouped by the boolean of its name instead.
    pub(super) fn is_boolean_group(&self) -> bool {
        self.value.is_none() && self.found.as_deref() == Some("boolean")
    }

    /// Returns a filter with the value that was asked for, or with this one where that is of another type.
    fn filter(&self, operator: &str, example: &str) -> String {
        let filter = |value: &str| format!("{}={operator}:{value}", self.name);
        let typed = filter(self.value.as_deref().unwrap_or_default());
        let is_filter = typed.parse::<TraitFilter>().is_ok();
        let meant = if is_filter { typed } else { filter(example) };
        printable(&meant).into_owned()
    }
}

impl std::error::Error for MissingTrait {}

/// Returns the trait that explains why this answer shows nothing: it is asked for, and no record of the period
/// has it. What was found holds, whether or not that can be explained.
pub(super) async fn cause(
    statistics: &Statistics,
    query: &StatisticsRequest,
    elements: &[Figures],
) -> Option<MissingTrait> {
    let is_empty = elements.iter().all(|figures| figures.displays == 0);
    if is_empty && let Some(missing) = of_filters(statistics, query).await {
        return Some(missing);
    }
    let mut groups = elements.iter().filter_map(|figures| figures.group.as_ref());
    let has_groups = groups.any(|group| group.other || group.value.is_some());
    let grouping = query.group_by.as_ref().filter(|_| !has_groups)?;
    let kind = grouping.kind.to_string();
    let wanted = MissingTrait::wanted(&grouping.name, kind, None);
    missing(statistics, query, vec![wanted]).await
}

/// Returns a trait that is filtered by and that no record of the period has. Only conditions that its
/// absence does not fulfil can be why nothing was found.
pub(super) async fn of_filters(
    statistics: &Statistics,
    query: &StatisticsRequest,
) -> Option<MissingTrait> {
    let filters = query.filter.iter();
    let exclusive = filters.filter(|filter| !filter.condition.holds(None));
    let wanted = exclusive.map(|filter| {
        let (kind, _, value) = filter.condition.texts();
        MissingTrait::wanted(&filter.name, kind.to_string(), Some(value))
    });
    missing(statistics, query, wanted.collect()).await
}

/// Returns the first of these traits that no record of the period has. Nothing is missing in a period
/// without records.
async fn missing(
    statistics: &Statistics,
    query: &StatisticsRequest,
    wanted: Vec<MissingTrait>,
) -> Option<MissingTrait> {
    if wanted.is_empty() {
        return None;
    }
    let answer = statistics.traits(&query.unfiltered()).await;
    let traits = answer.ok()?.elements;
    if traits.is_empty() {
        return None;
    }
    let is_missing = |wanted: &MissingTrait| {
        let is_it = |found: &Trait| found.name == wanted.name && found.kind == wanted.kind;
        !traits.iter().any(is_it)
    };
    let missing = wanted.into_iter().find(is_missing)?;
    let named = traits.iter().filter(|found| found.name == missing.name);
    // Of its types, only a boolean can be grouped by instead.
    let is_filtered = missing.value.is_some();
    let found = named.min_by_key(|found| is_filtered || found.kind != "boolean");
    Some(MissingTrait {
        found: found.map(|found| found.kind.clone()),
        nearest: nearest(&missing.name, traits.iter().map(|found| &found.name))
            .filter(|_| found.is_none()),
        ..missing
    })
}

/// Returns the filter that is meant, where nothing matches because its text is mistyped: one that records of the
/// period have differs by at most two letters. Texts by which the API does not group are not known.
pub(super) async fn meant_filter(
    statistics: &Statistics,
    query: &StatisticsRequest,
) -> Option<String> {
    for filter in &query.filter {
        let (kind, operator, value) = filter.condition.texts();
        if (kind, &*operator) != (TraitType::String, "eq") {
            continue;
        }
        let groups = StatisticsRequest {
            group_by: Some(GroupBy {
                name: filter.name.clone(),
                kind: GroupKind::String,
            }),
            group_limit: Some(100),
            ..query.unfiltered().whole()
        };
        let answer = parse(&statistics.request(&groups.parameters()).await.ok()?).ok()?;
        let values =
            answer
                .elements
                .into_iter()
                .filter_map(|found: Figures| match found.group?.value? {
                    GroupName::String(value) => Some(value),
                    GroupName::Boolean(_) => None,
                });
        let known: Vec<_> = values.collect();
        if !known.contains(&value)
            && let Some(nearest) = nearest(&value, known.iter())
        {
            return Some(format!("{}=eq:{nearest}", filter.name.as_str()));
        }
    }
    None
}

/// Returns the text that is most like this one, with at most two letters that differ.
fn nearest<'a>(text: &str, known: impl Iterator<Item = &'a String>) -> Option<String> {
    let lowercase = text.to_lowercase();
    let distances = known.map(|one| (strsim::osa_distance(&lowercase, &one.to_lowercase()), one));
    let (_, nearest) = distances
        .filter(|(distance, _)| *distance <= 2)
        .min_by_key(|(distance, _)| *distance)?;
    Some(nearest.clone())
}
