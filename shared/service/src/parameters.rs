//! The parameters of the query: decoded once, taken by name, and with all problems reported
//! together.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::str::FromStr;

use model::{ProjectId, parse_digits};
use percent_encoding::percent_decode;

use crate::error::{Error, Problem, ProblemKind};

/// Names and values in the order of the query. `Err` holds the name of a pair that is not UTF-8.
pub(crate) type QueryPairs = Vec<Result<(String, String), String>>;

/// Percent-decodes a raw query once. `+` is a space.
pub(crate) fn decode(query: &str) -> QueryPairs {
    let bytes_of =
        |text: &str| percent_decode(text.replace('+', " ").as_bytes()).collect::<Vec<u8>>();
    let pair = |text: &str| {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let name = String::from_utf8(bytes_of(name))
            .map_err(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())?;
        let value = String::from_utf8(bytes_of(value)).map_err(|_| name.clone())?;
        Ok((name, value))
    };
    query
        .split('&')
        .filter(|text| !text.is_empty())
        .map(pair)
        .collect()
}

/// The parameters, which of them have been taken, and the problems found so far, at most one for each name.
#[derive(Default)]
pub struct Parameters {
    /// All values of a name, in order; `None` stands for one that is not UTF-8.
    values: BTreeMap<String, Vec<Option<String>>>,
    taken: BTreeSet<String>,
    problems: BTreeMap<String, Problem>,
}

const NOT_UTF_8: &str = "is not valid UTF-8";

impl Parameters {
    pub(crate) fn new(pairs: &QueryPairs) -> Self {
        let mut parameters = Self::default();
        for pair in pairs {
            let (name, value) = match pair {
                Ok((name, value)) => (name, Some(value.clone())),
                Err(name) => (name, None),
            };
            if value.is_none() {
                parameters.report(ProblemKind::Invalid, name, NOT_UTF_8);
            } else if parameters.values.contains_key(name) {
                parameters.report(ProblemKind::Duplicate, name, "is given more than once");
            }
            parameters
                .values
                .entry(name.clone())
                .or_default()
                .push(value);
        }
        parameters
    }

    /// Takes the text of a parameter. One that already has a problem counts as given, so that it is not
    /// reported as missing.
    fn take(&mut self, name: &str) -> Option<String> {
        self.taken.insert(name.to_owned());
        let last = self.values.get(name)?.last()?;
        Some(last.clone().unwrap_or_default())
    }

    /// Takes the values of a parameter that may be given several times, in order, except empty ones. Reports the
    /// first one that cannot be parsed, and returns the others.
    pub fn repeated<T: FromStr<Err: Display>>(&mut self, name: &str) -> Vec<T> {
        self.taken.insert(name.to_owned());
        let values = self.values.get(name).cloned().unwrap_or_default();
        // Unlike other parameters, it was not wrong to repeat it.
        self.problems.remove(name);
        let parse = |value: Option<String>| {
            let Some(text) = value else {
                self.report(ProblemKind::Invalid, name, NOT_UTF_8);
                return None;
            };
            let parsed = text.parse();
            let report = |expected| self.report_value(ProblemKind::Invalid, name, &expected, &text);
            parsed.map_err(report).ok()
        };
        let empty = Some(String::new());
        let given = values.into_iter().filter(|value| *value != empty);
        given.filter_map(parse).collect()
    }

    /// Takes an optional parameter, unless it is empty. Reports a value that cannot be parsed.
    pub fn optional<T: FromStr<Err: Display>>(&mut self, name: &str) -> Option<T> {
        self.optional_with(name, str::parse)
    }

    /// Takes an optional parameter, which `parse` reads, unless it is empty. Reports a value that cannot be parsed.
    pub fn optional_with<T, E: Display>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        if self.has(name) {
            self.even_empty(name, parse)
        } else {
            self.taken.insert(name.to_owned());
            None
        }
    }

    /// Takes an optional parameter, which `parse` reads even if it is empty. Reports a value that cannot be parsed.
    pub fn even_empty<T, E: Display>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let text = self.take(name)?;
        parse(&text)
            .map_err(|expected| self.report_value(ProblemKind::Invalid, name, &expected, &text))
            .ok()
    }

    /// Takes an optional parameter that has no other value than this one. Returns whether it is given.
    pub fn is_given(&mut self, name: &str, only: &str) -> bool {
        let parse = |text: &str| match text {
            _ if text == only => Ok(()),
            _ => Err(format!("must be {only}")),
        };
        self.optional_with(name, parse).is_some()
    }

    /// Takes an optional whole number from 1 to `max`, written in digits.
    pub fn number_up_to(&mut self, name: &str, max: u16) -> Option<u16> {
        let parse = |text: &str| {
            let number = parse_digits(text).filter(|number| (1..=max).contains(number));
            number.ok_or_else(|| format!("must be a number from 1 to {max}"))
        };
        self.optional_with(name, parse)
    }

    /// Takes a required parameter, which `parse` reads even if it is empty. Reports its absence.
    pub fn required<T, E: Display>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        if !self.values.contains_key(name) {
            self.report_absence(name);
        }
        self.even_empty(name, parse)
    }

    fn report_absence(&mut self, name: &str) {
        self.report(ProblemKind::Missing, name, "is required");
    }

    /// Takes the project, which both operations require.
    pub fn project(&mut self) -> Option<ProjectId> {
        if !self.has("project") {
            self.report_absence("project");
        }
        self.optional("project")
    }

    /// Returns whether a parameter is given, and not only as an empty text, which clients send for what they leave out.
    pub fn has(&self, name: &str) -> bool {
        let mut values = self.values.get(name).into_iter().flatten();
        values.any(|value| value.as_deref() != Some(""))
    }

    /// Returns the names that are given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    /// Reports a problem, unless the parameter already has one. `what` completes the sentence that
    /// begins with the parameter's name.
    pub fn report(&mut self, kind: ProblemKind, name: &str, what: &str) {
        let detail = format!("{} {what}", shortened(name));
        let problem = Problem::with_parameter(kind, name, detail);
        self.problems.entry(name.to_owned()).or_insert(problem);
    }

    /// Reports a parameter that is given beside another one, which excludes it.
    pub fn report_beside(&mut self, name: &str, other: &str) {
        if self.has(name) && self.has(other) {
            let what = format!("cannot be combined with {other}");
            self.report(ProblemKind::Invalid, name, &what);
        }
    }

    /// Reports the absence of a parameter without which the other one, which is given, means nothing.
    pub fn report_without(&mut self, required: &str, other: &str) {
        if self.has(other) && !self.has(required) {
            let what = format!("is required with {other}");
            self.report(ProblemKind::Missing, required, &what);
        }
    }

    /// Reports a value that is at fault, as [`Parameters::report`] does. `expected` says what should have
    /// been given.
    pub fn report_value(
        &mut self,
        kind: ProblemKind,
        name: &str,
        expected: &impl Display,
        got: &str,
    ) {
        let what = format!("{expected}, got {:?}", shortened(got));
        self.report(kind, name, &what);
    }

    /// Returns all problems, sorted by name. A parameter that was not taken is unknown, whatever else
    /// is wrong with it.
    pub fn finish(mut self) -> Result<(), Error> {
        let mut names = std::mem::take(&mut self.values);
        names.retain(|name, _| !self.taken.contains(name));
        for name in names.into_keys() {
            self.problems.remove(&name);
            self.report(
                ProblemKind::Unknown,
                &name,
                "is not a parameter of this operation",
            );
        }
        if self.problems.is_empty() {
            Ok(())
        } else {
            Err(Error::parameters(self.problems.into_values().collect()))
        }
    }
}

/// Returns the beginning of a text that a client sent, for a sentence.
fn shortened(text: &str) -> String {
    const MAX: usize = 100;
    let mut characters = text.chars();
    let mut short: String = characters.by_ref().take(MAX).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}
