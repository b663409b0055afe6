//! Members that are not imported.

use std::collections::BTreeMap;

use crate::record::paths::Paths;
use crate::rules::reason::quoted;

/// How often members of a file occurred that are not imported.
#[derive(Default)]
pub(crate) struct IgnoredMembers {
    counts: BTreeMap<String, u64>,
    /// How often others did, once there were too many names.
    uncounted: u64,
}

impl IgnoredMembers {
    /// Counts members that are not imported. The names of a hostile file must not fill the memory, so
    /// they are shortened and limited in number.
    pub(crate) fn count(&mut self, names: Vec<String>, paths: &Paths) {
        const MAX_NAMES: usize = 10_000;
        for name in names {
            let Some(share) = paths.share_of(&name) else {
                continue;
            };
            let name = format!("{}{share}", quoted(&name));
            if self.counts.len() < MAX_NAMES || self.counts.contains_key(&name) {
                *self.counts.entry(name).or_default() += 1;
            } else {
                self.uncounted += 1;
            }
        }
    }

    /// Returns the names of the members, quoted.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.counts.keys()
    }

    /// Returns whether a member of this name occurred.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.counts.contains_key(&quoted(name))
    }

    /// Lists the members that are not imported, the most frequent ones by name.
    pub(crate) fn list(&self) -> Option<String> {
        const SHOWN: usize = 20;
        let mut counts: Vec<_> = self.counts.iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let (shown, others) = counts.split_at(counts.len().min(SHOWN));
        let mut list: Vec<_> = shown
            .iter()
            .map(|(name, count)| format!("{name} ({count})"))
            .collect();
        list.sort();
        let others = others.iter().map(|(_, count)| **count).sum::<u64>() + self.uncounted;
        if others > 0 {
            list.push(format!("and others ({others})"));
        }
        (!list.is_empty()).then(|| list.join(", "))
    }
}
