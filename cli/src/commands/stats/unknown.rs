//! Traits that were asked for, and that no record has.

use std::fmt::Write as _;

use super::super::client::Client;
use super::figures::{self, Figures};
use super::query::Query;
use super::traits::{self, Trait};
use crate::text::printable;

/// Returns what is wrong if this response shows nothing because no record of the period has one of the traits; names
/// similar ones as `shown` returns them, if at all, and says `where_to_look` if there is none.
pub(in crate::commands) async fn error(
    query: &Query,
    client: &Client,
    body: &str,
    where_to_look: &str,
    shown: impl Fn(&Trait) -> Option<String>,
) -> anyhow::Result<Option<String>> {
    let (has_displays, has_groups) = if query.traits {
        let found = !traits::parse(body)?.is_empty();
        (found, found)
    } else {
        let elements = figures::parse(body, query.is_divided())?;
        let shown = |figures: &&Figures| figures.displays > 0;
        let mut shown = elements.iter().filter(shown).peekable();
        (
            shown.peek().is_some(),
            shown.any(|figures| figures.other || figures.group.is_some()),
        )
    };
    let filters = query.filter.iter();
    // Others cannot be why nothing was found.
    let filters = filters.filter(|filter| !has_displays && !filter.condition.matches_absent());
    let filters =
        filters.map(|filter| (filter.name.as_str(), filter.condition.texts().0.to_string()));
    let group_by = query.group_by.as_ref().filter(|_| !has_groups);
    let group_by = group_by.map(|by| (by.name.as_str(), by.kind.to_string()));
    let suspects: Vec<_> = filters.chain(group_by).collect();
    if suspects.is_empty() {
        return Ok(None);
    }
    // What was found holds, whether or not this can be explained.
    let described = super::request(client, &query.describing()).await;
    let Ok(traits) = described.and_then(|body| traits::parse(&body)) else {
        return Ok(None);
    };
    if traits.is_empty() && !has_displays {
        return Ok(None);
    }
    let unknown = suspects.iter().find(|(name, kind)| {
        let is_it = |found: &Trait| found.name == *name && found.kind == *kind;
        !traits.iter().any(is_it)
    });
    Ok(unknown.map(|(name, kind)| sentence(name, kind, &traits, where_to_look, shown)))
}

fn sentence(
    name: &str,
    kind: &str,
    traits: &[Trait],
    where_to_look: &str,
    shown: impl Fn(&Trait) -> Option<String>,
) -> String {
    let name = printable(name);
    let mut sentence = format!("no record of this period has the {kind} `{name}`");
    let mut similar: Vec<_> = traits
        .iter()
        .map(|found| {
            (
                strsim::jaro(&name.to_lowercase(), &found.name.to_lowercase()),
                found,
            )
        })
        // As similar as an option that clap suggests.
        .filter(|(similarity, _)| *similarity > 0.7)
        .collect();
    similar.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let similar = similar
        .iter()
        .filter_map(|(_, found)| Some(format!("{} ({})", shown(found)?, printable(&found.kind))));
    let similar: Vec<_> = similar.take(3).collect();
    if similar.is_empty() {
        let _ = write!(sentence, "; {where_to_look}");
    } else {
        let _ = write!(sentence, "; similar: {}", similar.join(", "));
    }
    sentence
}
