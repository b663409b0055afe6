//! How records are read.

pub(crate) mod dates;
pub(crate) mod kind;
pub(crate) mod mapping;
pub(crate) mod reason;

use anyhow::ensure;
use model::ProjectId;

use dates::Dates;
use kind::RecordKind;
use mapping::{Mapping, field_of};

/// How records are read.
#[derive(Debug)]
pub struct ImportRules {
    /// What the records are.
    pub kind: RecordKind,
    /// The project that they belong to.
    pub project: ProjectId,
    /// Whether nothing is read of the users of response records.
    pub no_users: bool,
    /// Where fields are that have another name.
    pub map: Vec<Mapping>,
    /// The campaign whose records alone are read; all if absent.
    pub campaign: Option<String>,
    /// The paths of the members that become traits of the response.
    pub keep: Vec<String>,
    /// How dates are written, unless they are exact.
    pub dates: Option<Dates>,
    /// The columns or members that ids are derived from; empty for all.
    pub id_from: Vec<String>,
    /// Whether every trait of a table is a string, including numbers and booleans.
    pub string_traits: bool,
    /// Whether quoted cells are accepted that have lines which look like rows.
    pub multiline: bool,
}

impl ImportRules {
    /// Reads records of this kind without any options.
    pub fn new(kind: RecordKind, project: ProjectId) -> Self {
        Self {
            kind,
            project,
            no_users: false,
            map: Vec::new(),
            campaign: None,
            keep: Vec::new(),
            dates: None,
            id_from: Vec::new(),
            string_traits: false,
            multiline: false,
        }
    }

    /// Checks that every mapping names a field of this kind, once, and every kept member makes a trait that
    /// can be filtered by.
    ///
    /// # Errors
    ///
    /// Names the option that is wrong.
    pub fn check(&self) -> anyhow::Result<()> {
        for (n, Mapping { field, .. }) in self.map.iter().enumerate() {
            ensure!(
                field_of(self.kind, field).is_some(),
                "--map {field}=…: unknown field; the fields are {} and traits.<name>",
                self.kind.members().join(", ")
            );
            let mut rest = self.map.iter().skip(n + 1);
            ensure!(
                !rest.any(|other| other.field == *field),
                "--map names {field} twice"
            );
        }
        for (n, path) in self.keep.iter().enumerate() {
            const MAX_NAME: usize = 255;
            ensure!(
                kept_trait(path).len() <= MAX_NAME,
                "--keep {path}: the name of its trait would be longer than {MAX_NAME} bytes"
            );
            ensure!(
                path != "user" && !path.starts_with("user."),
                "--keep {path}: members of user say something of a person, not of the survey"
            );
            let mut rest = self.keep.iter().skip(n + 1);
            ensure!(
                !rest.any(|other| other == path),
                "--keep names {path} twice"
            );
        }
        Ok(())
    }

    /// Returns whether `--map` says where a field is.
    pub(crate) fn maps(&self, member: &str) -> bool {
        self.place_of(member).is_some()
    }

    /// Returns the column or path where `--map` says that a field is.
    pub(crate) fn place_of(&self, member: &str) -> Option<&str> {
        let mapping = self.map.iter().find(|mapping| mapping.field == member);
        mapping.map(|mapping| &*mapping.place)
    }

    /// Returns whether `--map` says where the field is that tells this kind from the other.
    pub(crate) fn map_decisive_field(&self) -> bool {
        self.maps(match self.kind {
            RecordKind::Responses => "rating",
            RecordKind::Users => "userId",
        })
    }
}

/// What the names of traits begin with that say something of the survey rather than of its user.
const SURVEY: &str = "survey.";

/// Returns the name of the trait that a kept member becomes.
pub(crate) fn kept_trait(path: &str) -> String {
    format!("{SURVEY}{path}")
}

/// Returns whether a trait says something of the survey. Such traits never become facts of a user.
pub(crate) fn is_of_survey(name: &str) -> bool {
    name.starts_with(SURVEY)
}
