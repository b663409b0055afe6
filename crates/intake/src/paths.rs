//! Paths to the members of JSON: those of `--map` and `--keep`, whether the input has them, and what is at one.

use anyhow::bail;
use serde_json::value::RawValue;

use crate::json_object::{JsonObject, elements, scalar};
use crate::reason::{Reason, quoted};
use crate::rules::{Field, ImportRules, Mapping, RecordKind, field_of, kept_trait};

/// The paths of the options, and those that the plan of a file adds.
pub(crate) struct Paths {
    of_options: Vec<OptionPath>,
    of_plan: Vec<OptionPath>,
    /// Whether they have been looked for in a record.
    are_searched: bool,
}

/// A path of an option.
pub(crate) struct OptionPath {
    pub(crate) target: PathUse,
    pub(crate) path: String,
    /// As on the command line, without the path.
    option: &'static str,
    /// Whether a record has it.
    is_seen: bool,
    /// Whether records may lack it that are whole: it leads into `answers`, or a list without the question.
    may_be_absent: bool,
}

/// What becomes of the value at a path.
pub(crate) enum PathUse {
    /// It is the value of a field.
    Field(Field),
    /// It is kept as a trait of this name.
    Kept(String),
}

impl OptionPath {
    fn new(kind: RecordKind, target: PathUse, path: &str) -> Self {
        Self {
            option: match target {
                PathUse::Field(_) => "--map",
                PathUse::Kept(_) => "--keep",
            },
            target,
            path: path.to_owned(),
            is_seen: false,
            may_be_absent: kind == RecordKind::Responses && path.starts_with("answers."),
        }
    }

    fn mapped(kind: RecordKind, mapping: &Mapping) -> Option<Self> {
        let field = field_of(kind, &mapping.field)?;
        Some(Self::new(kind, PathUse::Field(field), &mapping.place))
    }
}

impl Paths {
    pub(crate) fn new(options: &ImportRules) -> Self {
        let kind = options.kind;
        let mapped = options
            .map
            .iter()
            .filter_map(|it| OptionPath::mapped(kind, it));
        let paths = options.keep.iter();
        let kept = paths.map(|path| OptionPath::new(kind, PathUse::Kept(kept_trait(path)), path));
        Self {
            of_options: mapped.chain(kept).collect(),
            of_plan: Vec::new(),
            are_searched: false,
        }
    }

    /// Looks from now on also for what the plan of a file maps beside the options.
    pub(crate) fn begin_file(&mut self, options: &ImportRules, plan: &ImportRules) {
        let added = plan.map.iter().skip(options.map.len());
        let paths = added.filter_map(|it| OptionPath::mapped(plan.kind, it));
        self.of_plan = paths.collect();
    }

    /// Finds what a record has at the paths, in their order.
    pub(crate) fn find<'a>(
        &mut self,
        record: &JsonObject<'a>,
    ) -> Result<Vec<(&OptionPath, AtPath<'a>)>, Reason> {
        self.are_searched = true;
        let paths = self.of_options.iter_mut().chain(&mut self.of_plan);
        let found = paths.map(|path| {
            let found = record.find(&path.path)?;
            path.is_seen |= found.found.is_some();
            path.may_be_absent |= found.parent.is_some_and(|it| it.get().starts_with('['));
            Ok((&*path, found))
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
        let is_absent = |path: &&OptionPath| !path.is_seen && !path.may_be_absent;
        let mut absent = self.of_options.iter().filter(is_absent);
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
        let unseen = self.of_options.iter().filter(|path| !path.is_seen);
        let listed: Vec<_> = unseen
            .map(|path| format!("{} ({})", quoted(&path.path), path.option))
            .collect();
        (!listed.is_empty()).then(|| listed.join(", "))
    }

    /// Returns how much of a member that is not imported the paths read, worded to follow its name.
    pub(crate) fn share_of(&self, member: &str) -> Option<&'static str> {
        let paths = self.of_options.iter().chain(&self.of_plan);
        let mut rests = paths.filter_map(|path| path.path.strip_prefix(member));
        if rests.clone().any(str::is_empty) {
            None
        } else if rests.any(|rest| rest.starts_with('.')) {
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
    let mut found = None;
    for element in elements(list.get())? {
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
