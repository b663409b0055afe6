//! Traits that were asked for, and that no record has.

use std::fmt;

use shared::model::GroupKind;

use super::traits::{Trait, TraitList};
use super::{Figures, Grouping, Query};
use crate::client::Client;
use crate::text::printable;

/// A trait that was asked for as a type, and that no record of the period has.
#[derive(Debug)]
pub(crate) struct MissingTrait {
    name: String,
    kind: String,
    /// Whether it was to be grouped by.
    is_grouped: bool,
    /// The type that it has instead.
    found: Option<String>,
    /// A trait whose name differs by at most two letters. It is data of records.
    pub(crate) nearest: Option<String>,
}

impl fmt::Display for MissingTrait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = printable(&self.name);
        match self.found.as_deref() {
            Some("number") if self.is_grouped => write!(
                f,
                "`{name}` is a number, and numbers cannot be grouped; filter by it, such as {name}=number.gte:10"
            ),
            Some("number") => write!(f, "`{name}` is a number; write {name}=number.eq:10"),
            Some("boolean") if !self.is_grouped => {
                write!(f, "`{name}` is a boolean; write {name}=boolean.eq:true")
            }
            Some(found) => {
                let found = printable(found);
                write!(f, "`{name}` is of the type {found}, not {}", self.kind)
            }
            None => write!(f, "no record of this period has the {} `{name}`", self.kind),
        }
    }
}

impl std::error::Error for MissingTrait {}

/// Why an answer shows nothing.
pub(super) enum Cause {
    /// For another reason, or it shows something.
    None,
    /// The trait is a boolean; this query asks for that.
    Boolean(Box<Query>),
    Missing(MissingTrait),
}

/// Returns why this answer shows nothing, if a trait that no record of the period has is the cause. What was found holds,
/// whether or not that can be explained.
pub(super) async fn cause(client: &Client, query: &Query, elements: &[Figures]) -> Cause {
    let is_empty = elements.iter().all(|figures| figures.displays == 0);
    if is_empty && let Some(missing) = of_filters(client, query).await {
        return Cause::Missing(missing);
    }
    let mut groups = elements.iter().filter_map(|figures| figures.group.as_ref());
    let has_groups = groups.any(|group| group.other || group.value.is_some());
    let Some(grouping) = query.group_by.as_ref().filter(|_| !has_groups) else {
        return Cause::None;
    };
    let kind = grouping.parameter().kind.to_string();
    let Some(missing) = missing(client, query, &[(grouping.name.as_str(), kind)], true).await
    else {
        return Cause::None;
    };
    if grouping.kind.is_none() && missing.found.as_deref() == Some("boolean") {
        let boolean = Grouping {
            kind: Some(GroupKind::Boolean),
            ..grouping.clone()
        };
        return Cause::Boolean(Box::new(Query {
            group_by: Some(boolean),
            ..query.clone()
        }));
    }
    Cause::Missing(missing)
}

/// Returns a trait that is filtered by and that no record of the period has. Only conditions that its absence does not
/// fulfil can be why nothing was found.
pub(super) async fn of_filters(client: &Client, query: &Query) -> Option<MissingTrait> {
    let filters = query.filter.iter();
    let filters = filters.filter(|filter| !filter.condition.matches_absent());
    let filters =
        filters.map(|filter| (filter.name.as_str(), filter.condition.texts().0.to_string()));
    missing(client, query, &filters.collect::<Vec<_>>(), false).await
}

/// Returns the first of these traits that no record of the period has. Nothing is missing in a period without records.
async fn missing(
    client: &Client,
    query: &Query,
    wanted: &[(&str, String)],
    is_grouped: bool,
) -> Option<MissingTrait> {
    if wanted.is_empty() {
        return None;
    }
    let list = TraitList::request(client, query, false).await.ok()?;
    let traits = Some(list.traits).filter(|traits| !traits.is_empty())?;
    let is_missing = |(name, kind): &&(&str, String)| {
        let is_it = |found: &Trait| found.name == *name && found.kind == *kind;
        !traits.iter().any(is_it)
    };
    let (name, kind) = wanted.iter().find(is_missing)?;
    let found = traits.iter().find(|found| found.name == *name);
    Some(MissingTrait {
        name: (*name).to_owned(),
        kind: kind.clone(),
        is_grouped,
        found: found.map(|found| found.kind.clone()),
        nearest: nearest(name, &traits).filter(|_| found.is_none()),
    })
}

/// Returns the trait whose name is most like this one, with at most two letters that differ.
fn nearest(name: &str, traits: &[Trait]) -> Option<String> {
    let name = name.to_lowercase();
    let distance = |found: &Trait| strsim::osa_distance(&name, &found.name.to_lowercase());
    let near = traits.iter().map(|found| (distance(found), found));
    let (_, nearest) = near
        .filter(|(distance, _)| *distance <= 2)
        .min_by_key(|(distance, _)| *distance)?;
    Some(nearest.name.clone())
}
