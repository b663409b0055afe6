//! Paths to the members of JSON: those of `--map` and `--keep`, whether the input has them, and what is at one.

use anyhow::bail;
use serde_json::value::RawValue;

use crate::json_object::{JsonObject, scalar};
use crate::reason::{Reason, quoted};
use crate::rules::{Field, ImportRules, RecordKind, field_of, kept_trait};

/// The paths of the options.
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
        let mut paths = Self {
            paths: Vec::new(),
            are_searched: false,
        };
        paths.begin_file(rules);
        paths
    }

    /// Looks for the paths of these rules from now on, those of the options and of the plan of a file.
    pub(crate) fn begin_file(&mut self, rules: &ImportRules) {
        let mapped = rules.map.iter().filter_map(|mapping| {
            let field = field_of(rules.kind, &mapping.field)?;
            Some(("--map", PathUse::Field(field), &mapping.place))
        });
        let kept = rules
            .keep
            .iter()
            .map(|path| ("--keep", PathUse::Kept(kept_trait(path)), path));
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
        let before = std::mem::take(&mut self.paths);
        self.paths = paths
            .map(|path: OptionPath| {
                let seen = before
                    .iter()
                    .filter(|known| known.path == path.path)
                    .map(|known| known.seen);
                OptionPath {
                    seen: seen.fold(path.seen, Seen::max),
                    ..path
                }
            })
            .collect();
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

    /// Fails if a mapped path is absent from the head of a file, which suggests that it is mistyped. With several
    /// files, only what each needs is asked for: the ratings and instants of responses, and the ids of users.
    pub(crate) fn check(&self, is_only: bool) -> anyhow::Result<()> {
        const NEEDED: [&str; 3] = ["rating", "created", "userId"];
        let is_needed = |path: &&OptionPath| match &path.target {
            PathUse::Field(field) => is_only || NEEDED.iter().any(|name| field.is_member(name)),
            PathUse::Kept(_) => false,
        };
        let mut absent = self.paths.iter().filter(|path| path.seen == Seen::Nothing);
        match absent.find(is_needed) {
            Some(path) if self.are_searched => {
                bail!(
                    "no record at its beginning has {} (--map)",
                    quoted(&path.path)
                )
            }
            _ => Ok(()),
        }
    }

    /// Lists those that no record has had.
    pub(crate) fn unseen(&self) -> Option<String> {
        if !self.are_searched {
            return None;
        }
        let unseen = self.paths.iter().filter(|path| path.seen != Seen::Value);
        let listed: Vec<_> = unseen
            .map(|path| format!("{} ({})", quoted(&path.path), path.option))
            .collect();
        (!listed.is_empty()).then(|| listed.join(", "))
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

/// What is at a path.
#[derive(Default)]
pub(crate) struct AtPath<'a> {
    /// What the last step of the path leads into, unless that is the record or `null`.
    pub(crate) parent: Option<&'a RawValue>,
    /// The value, which may be `null`.
    pub(crate) found: Option<&'a RawValue>,
}

impl<'a> AtPath<'a> {
    /// Returns the value, unless it is `null`.
    pub(crate) fn value(&self) -> Option<&'a RawValue> {
        self.found.filter(|value| value.get() != "null")
    }
}

impl<'a> JsonObject<'a> {
    /// Returns what is at a path: the member of this whole name, or else, within the member of the longest
    /// name that a dot ends, what is at the rest of the path.
    pub(crate) fn find(&self, path: &str) -> Result<AtPath<'a>, Reason> {
        if let Some(value) = self.value_of(path) {
            return Ok(AtPath {
                found: Some(value),
                parent: None,
            });
        }
        let mut nearest = None;
        for (dot, _) in path.rmatch_indices('.') {
            let Some((name, rest)) = path.get(..dot).zip(path.get(dot + 1..)) else {
                continue;
            };
            let Some(value) = self.value_of(name) else {
                continue;
            };
            let inner = match value.get().as_bytes() {
                [b'{', ..] => Self::parse(value.get())?.find(rest)?,
                [b'[', ..] => AtPath {
                    parent: Some(value),
                    found: answer_of(name, value, rest)?,
                },
                b"null" => continue,
                _ => AtPath {
                    parent: Some(value),
                    found: None,
                },
            };
            let is_last_step = inner.found.is_some() || !rest.contains('.');
            let parent = inner.parent.or(is_last_step.then_some(value));
            if inner.found.is_some() {
                return Ok(AtPath { parent, ..inner });
            }
            nearest = nearest.or(parent);
        }
        Ok(AtPath {
            parent: nearest,
            found: None,
        })
    }
}

/// Returns the `value` of the object with this `id` in a list.
fn answer_of<'a>(name: &str, list: &'a RawValue, id: &str) -> Result<Option<&'a RawValue>, Reason> {
    let elements: Vec<&RawValue> = serde_json::from_str(list.get()).map_err(|e| e.to_string())?;
    let mut found = None;
    for element in elements {
        if !element.get().starts_with('{') {
            continue;
        }
        let answer = JsonObject::parse(element.get())?;
        let its_id = answer.get("id").map(|id| scalar("id", id)).transpose()?;
        if its_id.is_some_and(|its_id| its_id == id)
            && found.replace(answer.value_of("value")).is_some()
        {
            return Err(format!("{name} has {} twice", quoted(id)));
        }
    }
    Ok(found.flatten())
}
