//! The fields of a record, wherever it has them.

use model::Decimal;
use serde_json::value::RawValue;

use crate::json_object::{JsonObject, scalar};
use crate::parsed_record::RecordValues;
use crate::paths::{AtPath, PathUse, Paths};
use crate::reason::{Reason, quoted};
use crate::rules::{Field, ImportRules, RecordKind};

/// The members of a record, divided among those that parsing takes.
pub(crate) struct Fields<'a> {
    pub(crate) record: JsonObject<'a>,
    /// The user of a response record.
    pub(crate) user: JsonObject<'a>,
    /// Whether the user's members are the record's own.
    pub(crate) is_flat: bool,
    pub(crate) traits: Option<JsonObject<'a>>,
    /// The answers of a response record: its own, and what `--map` names as those with the rating.
    pub(crate) answers: [Option<&'a RawValue>; 2],
    /// The paths of fields that were replaced by mapped ones.
    pub(crate) replaced: Vec<String>,
}

impl<'a> Fields<'a> {
    /// Divides the members of a record.
    ///
    /// # Errors
    ///
    /// Returns why they are none of a record.
    pub(crate) fn new(mut record: JsonObject<'a>, kind: RecordKind) -> Result<Self, Reason> {
        let mut user = JsonObject::default();
        let mut is_flat = true;
        let traits = match kind {
            RecordKind::Responses => {
                let nested = record.object("user")?;
                is_flat = nested.is_none();
                user = nested
                    .unwrap_or_else(|| record.split_off(&["userId", "email", "name", "traits"]));
                user.object("traits")?
            }
            RecordKind::Users => record.object("traits")?,
        };
        Ok(Self {
            answers: [record.get("answers"), None],
            record,
            user,
            is_flat,
            traits,
            replaced: Vec::new(),
        })
    }

    /// Returns the values of a record, and the names of the members that are not imported.
    ///
    /// # Errors
    ///
    /// Returns why they are none of a record.
    pub(crate) fn values(
        mut self,
        rules: &ImportRules,
    ) -> Result<(RecordValues<'a>, Vec<String>), Reason> {
        let mut values = RecordValues::default();
        let kind = rules.kind;
        for member in kind.members() {
            let owner = if kind.is_in_user(member) {
                &mut self.user
            } else {
                &mut self.record
            };
            if let Some(text) = owner.text(member)?
                && (text.is_empty() || !rules.is_null(&text))
            {
                values.add(member, text);
            }
        }
        if let Some(id) = self.user.text("id")? {
            values.add("user.id", id);
        }
        let mut ignored = Vec::new();
        if let Some(traits) = &self.traits {
            traits.check_values()?;
            if self.is_flat && kind == RecordKind::Responses && values.has("userId") {
                complete(&mut values, traits);
            }
            values.traits = Some(traits.to_traits());
        }
        // The command line names the project, and a pending record is one without the others.
        let implied = ["project", "pending"];
        let of_record = self
            .record
            .remaining()
            .filter(|name| !implied.contains(name));
        let path = self.path_of_user();
        let of_user = self.user.remaining().map(|name| format!("{path}{name}"));
        ignored.extend(
            of_record
                .map(str::to_owned)
                .chain(of_user)
                .chain(self.replaced),
        );
        Ok((values, ignored))
    }

    /// Returns the path of the members of the user.
    pub(crate) fn path_of_user(&self) -> &'static str {
        if self.is_flat { "" } else { "user." }
    }

    /// Takes what is at the paths of the options.
    pub(crate) fn take(
        &mut self,
        kind: RecordKind,
        paths: &Paths,
        found: &[AtPath<'a>],
    ) -> Result<(), Reason> {
        for (path, found) in paths.iter().zip(found) {
            match &path.target {
                PathUse::Field(field) => {
                    if *field == Field::Member("rating") {
                        self.take_answers(found)?;
                    }
                    if let Some(value) = found.value() {
                        self.map(kind, field, value);
                    }
                }
                PathUse::Kept(name) => self.keep(name, &path.path, found.value())?,
            }
        }
        Ok(())
    }

    /// Takes the list or the object in which `--map` looks for the rating. Rejects a record that has none there
    /// but one of its own, which would get lost.
    fn take_answers(&mut self, found: &AtPath<'a>) -> Result<(), Reason> {
        if found.value().is_none() && self.record.has("rating") {
            return Err("it has a rating, but none where --map says".to_owned());
        }
        let [own, named] = &mut self.answers;
        *named = found
            .parent
            .filter(|parent| !own.is_some_and(|own| std::ptr::eq(own, *parent)));
        Ok(())
    }

    /// Sets a field to a mapped value.
    fn map(&mut self, kind: RecordKind, field: &Field, value: &'a RawValue) {
        let before = match field {
            Field::Member(member) if kind.is_in_user(member) => self.user.set(member, value),
            Field::Member(member) => self.record.set(member, value),
            Field::Trait(name) => {
                let traits = self.traits.get_or_insert_default();
                traits.set(name, value)
            }
        };
        if before.is_some_and(|before| !std::ptr::eq(before, value)) {
            self.replaced.push(field.path(kind, self.is_flat));
        }
    }

    /// Keeps a value as a trait of the response.
    fn keep(&mut self, name: &str, path: &str, value: Option<&'a RawValue>) -> Result<(), Reason> {
        let Some(value) = value else {
            return Ok(());
        };
        let text = scalar(&quoted(path), value)?;
        let before = self.traits.get_or_insert_default().set(name, value);
        match before {
            Some(before) if !is_same(before, value) => Err(format!(
                "its trait {} is another value than its {} (--keep), {}",
                quoted(name),
                quoted(path),
                quoted(&text)
            )),
            _ => Ok(()),
        }
    }
}

/// Adds the address and the name that the traits of a user have, if the record has none.
fn complete<'a>(values: &mut RecordValues<'a>, traits: &JsonObject<'a>) {
    for name in ["email", "name"] {
        let text = traits
            .get(name)
            .filter(|value| value.get().starts_with('"'));
        if let Some(Ok(text)) = text.map(|text| scalar(name, text))
            && !values.has(name)
        {
            values.add(name, text);
        }
    }
}

/// Returns whether scalars are equal.
fn is_same(a: &RawValue, b: &RawValue) -> bool {
    let is_text = |value: &RawValue| value.get().starts_with('"');
    let number = |value: &RawValue| value.get().parse::<Decimal>().ok();
    match (scalar("", a), scalar("", b)) {
        (Ok(text), Ok(other)) if is_text(a) == is_text(b) && text == other => true,
        _ => !is_text(a) && number(a).is_some() && number(a) == number(b),
    }
}
