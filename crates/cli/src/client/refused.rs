//! The errors with which the API refuses a request.

use std::error::Error;
use std::fmt;

use serde::Deserialize;
use service::error::Fault;

/// The errors of a request that the service refused (contract, Errors).
#[derive(Debug, Deserialize)]
pub(crate) struct Refused {
    errors: Vec<ErrorObject>,
}

#[derive(Debug, Deserialize)]
struct ErrorObject {
    code: String,
    detail: String,
    source: Option<Source>,
}

/// Where in the request the fault lies.
#[derive(Debug, Deserialize)]
struct Source {
    parameter: Option<String>,
}

impl Refused {
    /// Returns whether nothing but this parameter is at fault.
    pub(crate) fn is_about(&self, parameter: &str) -> bool {
        let is_it = |error: &ErrorObject| {
            let source = error.source.as_ref();
            source.and_then(|source| source.parameter.as_deref()) == Some(parameter)
        };
        self.errors.iter().all(is_it)
    }

    /// Returns whether the parameters are at fault, of which each has an option.
    pub(crate) fn is_of_parameters(&self) -> bool {
        let is_it = |error: &ErrorObject| {
            error.code.ends_with("_parameter") || error.code == "private_trait"
        };
        self.errors.iter().all(is_it)
    }

    pub(crate) fn has_code(&self, code: &str) -> bool {
        self.errors.iter().any(|error| error.code == code)
    }

    /// Names parameters as those who asked did. Each pair is the name of a parameter, and that of what set it.
    pub(crate) fn rename(error: &mut anyhow::Error, names: &[(&str, &str)]) {
        let refused = error.downcast_mut::<Self>();
        for error in refused.into_iter().flat_map(|refused| &mut refused.errors) {
            error.detail = renamed(&error.detail, names);
        }
    }
}

/// Renames the parameters in a detail. A text in quotes is data, such as the value that was sent, and stays.
fn renamed(detail: &str, names: &[(&str, &str)]) -> String {
    let mut is_escaped = false;
    let at_quotes = detail.split_inclusive(|c| {
        let is_quote = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_quote
    });
    let renamed = at_quotes.enumerate().map(|(n, part)| {
        let is_quoted = n % 2 == 1;
        if is_quoted {
            part.to_owned()
        } else {
            with_words_renamed(part, names)
        }
    });
    renamed.collect()
}

/// Renames whole words, so that a longer name that contains one stays.
fn with_words_renamed(text: &str, names: &[(&str, &str)]) -> String {
    let words = text.split_inclusive(' ').map(|word| {
        let end = word.trim_end_matches(|c: char| !c.is_alphanumeric()).len();
        let (parameter, punctuation) = word.split_at(end);
        let renaming = names.iter().find(|(known, _)| *known == parameter);
        [renaming.map_or(parameter, |(_, name)| *name), punctuation].concat()
    });
    words.collect()
}

/// Converts the error of the operation in this process.
impl From<service::error::Error> for Refused {
    fn from(error: service::error::Error) -> Self {
        let errors = error.problems.into_iter().map(|problem| ErrorObject {
            code: problem.code.to_owned(),
            detail: problem.detail.into_owned(),
            source: match problem.fault {
                Some(Fault::Parameter(name)) => Some(Source {
                    parameter: Some(name.into_owned()),
                }),
                _ => None,
            },
        });
        Self {
            errors: errors.collect(),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let errors = self.errors.iter();
        let lines = errors.map(|error| format!("{}: {}", error.code, error.detail));
        formatter.write_str(&lines.collect::<Vec<_>>().join("; "))
    }
}

impl Error for Refused {}

#[cfg(test)]
mod tests {
    use super::renamed;

    #[test]
    fn parameters_are_renamed_and_data_are_not() {
        let table = r#"
            startDate must not be after endDate => --start must not be after --end
            Narrow it with startDate and endDate, or wait. => Narrow it with --start and --end, or wait.
            filter must be short, got "a \" startDate \\" in endDate => filter must be short, got "a \" startDate \\" in --end
            startDate must be a date, got "startDate or end… => --start must be a date, got "startDate or end…
            groupBy must be traits.startDate, not startDates => groupBy must be traits.startDate, not startDates
        "#;
        for line in table.trim().lines().map(str::trim) {
            let (detail, expected) = line.split_once(" => ").unwrap();
            let names = [("startDate", "--start"), ("endDate", "--end")];
            assert_eq!(renamed(detail, &names), expected);
        }
    }
}
