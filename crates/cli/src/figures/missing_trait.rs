//! Traits and values that were asked for, and that no record has.

use std::fmt;

use model::{GroupBy, GroupKind, TraitFilter, TraitName, TraitType};
use response_statistics::GroupName;

use super::answer::{Element, Trait};
use super::statistics::Statistics;
use super::statistics_request::StatisticsRequest;
use crate::nearest::nearest;
use crate::text::printable;

/// A trait that was asked for as a type, and that no record of the period has.
#[derive(Debug)]
pub(crate) struct MissingTrait {
    pub(crate) name: String,
    kind: String,
    /// The value that was to be filtered by; `None` if it was to be grouped by.
    value: Option<String>,
    /// The type that it has instead.
    pub(crate) found: Option<String>,
    /// The trait that is probably meant. It is data of records.
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

    /// Returns whether records were to be grouped by it, and it has this type instead.
    pub(crate) fn is_group_of(&self, kind: &str) -> bool {
        self.value.is_none() && self.found.as_deref() == Some(kind)
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

impl Statistics {
    /// Returns the trait that explains why this answer shows nothing: it is asked for, and no record of the period
    /// has it. What was found holds, whether or not that can be explained.
    pub(super) async fn missing_trait(
        &self,
        query: &StatisticsRequest,
        elements: &[Element],
    ) -> Option<MissingTrait> {
        let is_empty = elements.iter().all(|element| element.figures.displays == 0);
        if is_empty && let Some(missing) = self.missing_filter(query).await {
            return Some(missing);
        }
        let mut groups = elements.iter().filter_map(|element| element.group.as_ref());
        let has_groups = groups.any(|group| group.other || group.value.is_some());
        let grouping = query.group_by.as_ref().filter(|_| !has_groups)?;
        let kind = grouping.kind.to_string();
        let wanted = MissingTrait::wanted(&grouping.name, kind, None);
        self.missing(query, vec![wanted]).await
    }

    /// Returns a trait that is filtered by and that no record of the period has. Only conditions that its
    /// absence does not fulfil can be why nothing was found.
    pub(super) async fn missing_filter(&self, query: &StatisticsRequest) -> Option<MissingTrait> {
        let filters = query.filter.iter();
        let exclusive = filters.filter(|filter| !filter.condition.holds(None));
        let wanted = exclusive.map(|filter| {
            let (kind, _, value) = filter.condition.texts();
            MissingTrait::wanted(&filter.name, kind.to_string(), Some(value))
        });
        self.missing(query, wanted.collect()).await
    }

    /// Returns the first of these traits that no record of the period has. Nothing is missing in a period
    /// without records.
    async fn missing(
        &self,
        query: &StatisticsRequest,
        wanted: Vec<MissingTrait>,
    ) -> Option<MissingTrait> {
        if wanted.is_empty() {
            return None;
        }
        let all = query.of_all_records();
        let traits = self.traits(&all).await.ok()?.elements;
        if traits.is_empty() {
            let whole = self.figures(&all).await.ok()?.elements;
            if whole.iter().all(|element| element.figures.displays == 0) {
                return None;
            }
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
        let known = traits.iter().map(|found| &*found.name);
        let nearest = nearest(&missing.name, known).filter(|_| found.is_none());
        Some(MissingTrait {
            found: found.map(|found| found.kind.clone()),
            nearest: nearest.map(str::to_owned),
            ..missing
        })
    }

    /// Returns the filter that is meant, where nothing matches because its text is mistyped: records of the period
    /// have one that is almost the same. Texts by which the API does not group are not known.
    pub(crate) async fn meant_filter(&self, query: &StatisticsRequest) -> Option<String> {
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
                ..query.of_all_records()
            };
            let found = self.figures(&groups).await.ok()?.elements;
            let values = found.iter().filter_map(|element| {
                match element.group.as_ref()?.value.as_ref()? {
                    GroupName::String(value) => Some(&**value),
                    GroupName::Boolean(_) => None,
                }
            });
            if let Some(nearest) = nearest(&value, values)
                && nearest != value
            {
                return Some(format!("{}=eq:{nearest}", filter.name.as_str()));
            }
        }
        None
    }
}
