//! The errors that only this operation has (contract, section 1).

use std::borrow::Cow;

use http::StatusCode;
use model::{Period, TraitName};
use service::error::{Cause, Error, Fault};

/// Makes the error of a period of which so many records were counted when the time was over.
pub(crate) fn period_too_large(counted: u64) -> Error {
    let detail = format!(
        "The period has more records than one request can read in time (counted until then: {}). Narrow it with startDate and \
         endDate.",
        with_commas(counted)
    );
    let words = ["period_too_large", "Period too large"];
    Error {
        cause: Some(Cause::TooLarge),
        ..Error::new(StatusCode::GATEWAY_TIMEOUT, words, detail)
    }
}

/// Makes the error of many groups while other requests count as many as the process has memory for.
pub(crate) fn too_busy() -> Error {
    let mut error = Error::unavailable();
    for problem in &mut error.problems {
        problem.detail =
            "Other requests count many groups at the moment. Try again in a second.".into();
    }
    error
}

fn with_commas(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Makes the error of a response that would exceed Lambda's limit.
pub(crate) fn response_too_large() -> Error {
    unprocessable(
        ["response_too_large", "Response too large"],
        "The response would exceed 6 MB. Choose a longer interval or a lower groupLimit, or narrow the period with \
         startDate and endDate.",
    )
}

/// Makes the error of a trait with more values than may be counted.
pub(crate) fn too_many_groups(name: &TraitName) -> Error {
    unprocessable(
        ["too_many_groups", "Too many groups"],
        format!(
            "The trait {:?} has more values than can be counted. Narrow the period with startDate and endDate, \
             choose a longer interval, or group by another trait.",
            name.as_str()
        ),
    )
}

/// Makes the error of more persons than may be counted, each in each interval.
pub(crate) fn too_many_respondents(period: &Period, are_divided: bool) -> Error {
    let (what, way) = if are_divided {
        (
            "pairs of a person and an interval",
            "choose a longer interval, ",
        )
    } else {
        ("people", "")
    };
    unprocessable(
        ["too_many_respondents", "Too many respondents"],
        format!(
            "From {} to {}, more than 1,000,000 {what} have ratings. Narrow the period with startDate and endDate, \
             {way}or omit respondents.",
            period.start, period.end
        ),
    )
}

/// Makes the error of more traits than may be described.
pub(crate) fn too_many_traits() -> Error {
    unprocessable(
        ["too_many_traits", "Too many traits"],
        "The records have more than 1,000 pairs of a trait and a type. Narrow the period with startDate and endDate, or filter them.",
    )
}

/// Makes the error of groups by a trait that names people.
pub(crate) fn private_trait(name: &TraitName) -> Error {
    let detail = format!(
        "The trait {:?} names people, and a Read Key must not list them. Group by another trait.",
        name.as_str()
    );
    let words = ["private_trait", "Private trait"];
    Error::new(StatusCode::FORBIDDEN, words, detail).with_fault(Fault::Parameter("groupBy".into()))
}

fn unprocessable(words: [&'static str; 2], detail: impl Into<Cow<'static, str>>) -> Error {
    Error::new(StatusCode::UNPROCESSABLE_ENTITY, words, detail)
}
