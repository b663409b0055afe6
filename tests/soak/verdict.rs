//! Judges a response by the contract and by the faults that were injected.

use std::io::Read;
use std::time::Duration;

use flate2::read::GzDecoder;
use serde_json::Value;

use super::callers::{Answer, Silence};
use super::faults::Consequence;
use super::injector::Injected;
use super::requests::{Healthy, Request};
use super::store::Of;
use crate::support::Operation;

/// What became of a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is right and whole.
    Answered,
    /// It is refused with a code of the contract, or the list broke off where everybody notices.
    Refused,
    /// It is neither.
    Wrong(String),
    /// It is a part that can be taken for the whole.
    Cut(String),
    Hung,
    /// The process ended, or failed the invocation.
    Ended(String),
}

/// A request with what befell it.
pub(super) struct Case<'a> {
    pub(super) request: Request,
    /// Whether the response may be a stream.
    pub(super) streams: bool,
    pub(super) injected: &'a [Injected],
    /// The time that the request had for reading, and the time that it took.
    pub(super) time: Duration,
    pub(super) took: Duration,
}

impl Verdict {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Refused => "refused",
            Self::Wrong(_) => "wrong",
            Self::Cut(_) => "cut",
            Self::Hung => "hung",
            Self::Ended(_) => "ended",
        }
    }
}

impl Case<'_> {
    pub(super) fn judge(&self, outcome: Result<Answer, Silence>, healthy: &Healthy) -> Verdict {
        let answer = match outcome {
            Err(Silence::Hung) => return Verdict::Hung,
            Err(Silence::Ended(output)) => return Verdict::Ended(output),
            Ok(answer) => answer,
        };
        let found = || {
            let body = String::from_utf8_lossy(&answer.body);
            let end = body.ceil_char_boundary(body.len().saturating_sub(300));
            format!("{} {} …{}", answer.status, answer.headers, &body[end..])
        };
        if answer.status != 200 {
            return if self.may_be_refused(&answer) {
                Verdict::Refused
            } else {
                Verdict::Wrong(found())
            };
        }
        let expected = healthy.body(self.request);
        let mut text = answer.body.clone();
        let mut inflates = true;
        if answer.headers["content-encoding"] == "gzip" {
            text.clear();
            inflates = GzDecoder::new(&*answer.body).read_to_end(&mut text).is_ok();
        }
        let is_beginning = expected.as_bytes().starts_with(&text);
        let is_whole = text.len() == expected.len() && inflates;
        match (is_beginning, answer.ended) {
            (true, true) if is_whole => Verdict::Answered,
            // Its transport reported a failure.
            (true, false) if self.streams && self.may_fail() => Verdict::Refused,
            _ if text.len() < expected.len() || !inflates => Verdict::Cut(found()),
            _ => Verdict::Wrong(found()),
        }
    }

    /// Returns whether the contract has this refusal, for one of these faults.
    fn may_be_refused(&self, answer: &Answer) -> bool {
        let document: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let code = document["errors"][0]["code"].as_str();
        let retry_after = answer.headers["retry-after"].as_str();
        let is_silent = !document.to_string().contains("inner workings");
        let is_possible = match (answer.status, code, retry_after) {
            (401, Some("unauthenticated"), None) => self.met(|injected| {
                injected.read.of == Of::Credential && injected.consequence == Consequence::Absence
            }),
            (500, Some("internal"), None) => {
                self.met(|injected| injected.consequence == Consequence::PermanentFailure)
            }
            (503, Some("unavailable"), Some("1")) => self.may_fail(),
            (504, Some("period_too_large"), None) => {
                self.request.operation == Operation::Statistics && self.is_late()
            }
            _ => false,
        };
        is_silent && is_possible && answer.ended
    }

    fn may_fail(&self) -> bool {
        self.is_late() || self.met(|injected| injected.consequence != Consequence::Delay)
    }

    fn met(&self, what: impl Fn(&Injected) -> bool) -> bool {
        self.injected.iter().any(what)
    }

    fn is_late(&self) -> bool {
        self.took + Duration::from_millis(20) >= self.time
    }
}
