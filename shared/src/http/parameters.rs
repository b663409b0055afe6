//! The query's parameters: decoded once, taken by name, and every problem with them reported
//! together.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use percent_encoding::percent_decode;

use crate::error::{Error, Fault, Problem};
use crate::model::{Invalid, ProjectId};

/// Names and values in the order of the query; `Err` holds the name of a pair that is not UTF-8.
pub(super) type Pairs = Vec<Result<(String, String), String>>;

/// Percent-decodes a raw query once; `+` is a space.
pub(super) fn decode(query: &str) -> Pairs {
    let bytes_of =
        |text: &str| percent_decode(text.replace('+', " ").as_bytes()).collect::<Vec<u8>>();
    let pair = |text: &str| {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let name = String::from_utf8(bytes_of(name)).map_err(|error| lossy(error.as_bytes()))?;
        let value = String::from_utf8(bytes_of(value)).map_err(|_| name.clone())?;
        Ok((name, value))
    };
    query
        .split('&')
        .filter(|text| !text.is_empty())
        .map(pair)
        .collect()
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The parameters that no one has taken yet, and the problems found so far: at most one for each
/// name.
pub struct Parameters {
    values: BTreeMap<String, String>,
    problems: BTreeMap<String, Problem>,
}

/// The `format` parameter, which has one value and changes nothing.
struct Format;

impl FromStr for Format {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        if text == "json" {
            Ok(Self)
        } else {
            Err(Invalid("must be json"))
        }
    }
}

impl Parameters {
    pub(super) fn new(pairs: &Pairs) -> Self {
        let mut parameters = Self {
            values: BTreeMap::new(),
            problems: BTreeMap::new(),
        };
        for pair in pairs {
            match pair {
                Ok((name, value)) => {
                    if parameters
                        .values
                        .insert(name.clone(), value.clone())
                        .is_some()
                    {
                        parameters.report(Fault::Duplicate, name, "is given more than once");
                    }
                }
                Err(name) => {
                    parameters.values.insert(name.clone(), String::new());
                    parameters.report(Fault::Invalid, name, "is not valid UTF-8");
                }
            }
        }
        parameters
    }

    /// Takes a parameter's text. One that has a problem already counts as given, so that it is not
    /// called missing.
    fn take(&mut self, name: &str) -> Option<String> {
        self.values.remove(name)
    }

    /// Takes an optional parameter; a value that cannot be parsed is reported.
    pub fn optional<T: FromStr<Err: Display>>(&mut self, name: &str) -> Option<T> {
        let text = self.take(name)?;
        text.parse()
            .map_err(|expected| self.report_value(name, &expected, &text))
            .ok()
    }

    /// Takes a parameter whose absence is a problem.
    pub fn required<T: FromStr<Err: Display>>(&mut self, name: &str) -> Option<T> {
        if !self.has(name) {
            self.report(Fault::Missing, name, "is required");
        }
        self.optional(name)
    }

    /// Takes the parameters that both operations have.
    pub fn project_and_format(&mut self) -> Option<ProjectId> {
        let _format: Option<Format> = self.optional("format");
        self.required("project")
    }

    /// Whether a parameter is given and not yet taken.
    pub fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// The names, not yet taken, that begin with `prefix`.
    pub fn names_with_prefix(&self, prefix: &str) -> Vec<String> {
        self.values
            .keys()
            .filter(|name| name.starts_with(prefix))
            .cloned()
            .collect()
    }

    /// Reports a problem, unless the parameter has one already. `what` continues the parameter's
    /// name.
    pub fn report(&mut self, fault: Fault, name: &str, what: &str) {
        let problem = Problem {
            fault,
            parameter: name.to_owned(),
            detail: format!("{} {what}", shortened(name)),
        };
        self.problems.entry(name.to_owned()).or_insert(problem);
    }

    fn report_value(&mut self, name: &str, expected: &impl Display, got: &str) {
        self.report(
            Fault::Invalid,
            name,
            &format!("{expected}, got {:?}", shortened(got)),
        );
    }

    /// Every problem, sorted by name; what nobody took is unknown, whatever else is wrong with it.
    pub fn finish(mut self) -> Result<(), Error> {
        for name in std::mem::take(&mut self.values).into_keys() {
            self.problems.remove(&name);
            self.report(
                Fault::Unknown,
                &name,
                "is not a parameter of this operation",
            );
        }
        if self.problems.is_empty() {
            Ok(())
        } else {
            Err(Error::Parameters(self.problems.into_values().collect()))
        }
    }
}

/// The beginning of a text that a client sent, for a sentence.
fn shortened(text: &str) -> String {
    const MOST: usize = 100;
    let mut characters = text.chars();
    let mut short: String = characters.by_ref().take(MOST).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}
