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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// It is right and whole.
    Answered,
    /// It is refused with a code of the contract, or the list broke off where everybody notices.
    Refused,
    /// It is neither.
    Wrong,
    /// It is a part that can be taken for the whole.
    Cut,
    Hung,
    /// The process ended, or failed the invocation.
    Ended,
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
    pub(super) fn is_flaw(self) -> bool {
        self > Self::Refused
    }
}

impl Case<'_> {
    pub(super) fn judge(&self, outcome: &Result<Answer, Silence>, healthy: &Healthy) -> Verdict {
        let answer = match outcome {
            Err(Silence::Hung) => return Verdict::Hung,
            Err(Silence::Ended(_)) => return Verdict::Ended,
            Ok(answer) if answer.reply.status == 200 => answer,
            Ok(answer) if self.may_be_refused(answer) => return Verdict::Refused,
            Ok(_) => return Verdict::Wrong,
        };
        let expected = healthy.body(self.request).as_bytes();
        let (mut text, mut inflates) = (answer.reply.body.to_vec(), true);
        if answer.reply.header("content-encoding") == Some("gzip") {
            text.clear();
            let mut decoder = GzDecoder::new(&*answer.reply.body);
            inflates = decoder.read_to_end(&mut text).is_ok();
        }
        let is_whole = text.len() == expected.len() && inflates;
        match (expected.starts_with(&text), answer.ended) {
            (true, true) if is_whole => Verdict::Answered,
            // Its transport reported a failure.
            (true, false) if self.streams && self.may_fail() => Verdict::Refused,
            _ if text.len() < expected.len() || !inflates => Verdict::Cut,
            _ => Verdict::Wrong,
        }
    }

    /// Returns whether the contract has this refusal, for one of these faults.
    fn may_be_refused(&self, Answer { reply, ended }: &Answer) -> bool {
        let document: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
        let code = document["errors"][0]["code"].as_str();
        let retry_after = reply.header("retry-after");
        let is_possible = match (reply.status.as_u16(), code, retry_after) {
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
        is_possible && *ended && !reply.text().contains("inner workings")
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
