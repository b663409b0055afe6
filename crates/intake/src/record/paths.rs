//! The paths of `--map` and `--keep`, and whether the input has them.

use anyhow::bail;

use crate::members::JsonObject;
use crate::members::path::AtPath;
use crate::rules::kind::RecordKind;
use crate::rules::mapping::{Field, field_of};
use crate::rules::reason::{Reason, quoted};
use crate::rules::{ImportRules, kept_trait};

pub(crate) struct Paths {
    paths: Vec<OptionPath>,
    /// Whether they have been looked for in a record.
    are_searched: bool,
}

/// A path of an option.
pub(crate) struct OptionPath {
    pub(crate) target: PathUse,
    pub(crate) path: String,
    /// As on the command line, without the path.
    option: &'static str,
    seen: Seen,
}

/// What becomes of the value at a path.
pub(crate) enum PathUse {
    /// It is the value of a field.
    Field(Field),
    /// It is kept as a trait of this name.
    Kept(String),
}

/// What of a path has been seen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Seen {
    Nothing,
    /// A list without the question; or nothing, but the path leads into `answers`, which any record may lack.
    OtherAnswers,
    Value,
}

impl Paths {
    pub(crate) fn new(rules: &ImportRules) -> Self {
        let mapped = rules.map.iter().filter_map(|mapping| {
            let field = field_of(rules.kind, &mapping.field)?;
            Some(("--map", PathUse::Field(field), &mapping.place))
        });
        let kept = rules.keep.iter();
        let kept = kept.map(|path| ("--keep", PathUse::Kept(kept_trait(path)), path));
        let paths = mapped.chain(kept).map(|(option, target, path)| OptionPath {
            target,
            seen: if rules.kind == RecordKind::Responses && path.starts_with("answers.") {
                Seen::OtherAnswers
            } else {
                Seen::Nothing
            },
            path: path.clone(),
            option,
        });
        Self {
            paths: paths.collect(),
            are_searched: false,
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &OptionPath> {
        self.paths.iter()
    }

    /// Finds what a record has at the paths, in their order.
    pub(crate) fn find<'a>(&mut self, record: &JsonObject<'a>) -> Result<Vec<AtPath<'a>>, Reason> {
        self.are_searched = true;
        let found = self.paths.iter_mut().map(|path| {
            let found = record.find(&path.path)?;
            let seen = match (found.found, found.parent) {
                (Some(_), _) => Seen::Value,
                (_, Some(list)) if list.get().starts_with('[') => Seen::OtherAnswers,
                _ => Seen::Nothing,
            };
            path.seen = path.seen.max(seen);
            Ok(found)
        });
        found.collect()
    }

    /// Returns whether the input has all of them.
    pub(crate) fn are_all_seen(&self) -> bool {
        self.paths.iter().all(|path| path.seen == Seen::Value)
    }

    /// Fails if a mapped path is absent from the beginning of the input, which suggests that it is mistyped.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let is_mapped = |path: &&OptionPath| matches!(path.target, PathUse::Field(_));
        let mut absent = self.paths.iter().filter(|path| path.seen == Seen::Nothing);
        match absent.find(is_mapped) {
            Some(path) if self.are_searched => bail!(
                "no record at the beginning of the input has {} (--map)",
                quoted(&path.path)
            ),
            _ => Ok(()),
        }
    }

    /// Lists those that no record has had.
    pub(crate) fn unseen(&self) -> Option<String> {
        if !self.are_searched {
            return None;
        }
        let unseen = self.paths.iter().filter(|path| path.seen != Seen::Value);
        let unseen = unseen.map(|path| format!("{} ({})", quoted(&path.path), path.option));
        let unseen: Vec<_> = unseen.collect();
        (!unseen.is_empty()).then(|| unseen.join(", "))
    }

    /// Returns how much of a member that is not imported the paths read, worded to follow its name.
    pub(crate) fn share_of(&self, member: &str) -> Option<&'static str> {
        let is_within = |path: &OptionPath| {
            let rest = path.path.strip_prefix(member);
            rest.is_some_and(|rest| rest.starts_with('.'))
        };
        if self.paths.iter().any(|path| path.path == member) {
            None
        } else if self.paths.iter().any(is_within) {
            Some(" in part")
        } else {
            Some("")
        }
    }
}
