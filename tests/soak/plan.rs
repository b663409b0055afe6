//! Which requests of a case suffer which faults.

use serde_json::Value;

use super::faults::{FAULTS, Fault};
use super::random::Random;

/// The faults of a case.
pub(super) struct Plan {
    /// One fault alone, or a mixture.
    faults: Vec<Fault>,
    scope: Scope,
    frequency: Frequency,
    /// How many requests in the scope there were.
    requests: u64,
    random: Random,
}

/// The requests that suffer faults.
#[derive(Debug, Clone, Copy)]
enum Scope {
    All,
    Credential,
    Queries,
    Shard(u64),
    LaterPages,
}

#[derive(Debug, Clone, Copy)]
enum Frequency {
    Always,
    First(u64),
    OnceIn(u64),
}

impl Plan {
    /// Makes a plan without faults.
    pub(super) fn none() -> Self {
        Self {
            faults: Vec::new(),
            scope: Scope::All,
            frequency: Frequency::Always,
            requests: 0,
            random: Random::of_case(0, 0),
        }
    }

    /// Makes the plan of a case.
    pub(super) fn of_case(mut random: Random) -> Self {
        let kinds = if random.once_in(2) {
            1
        } else {
            2 + random.below(5)
        };
        let faults = (0..kinds).map(|_| random.choose(&FAULTS)).collect();
        let scope = match random.below(8) {
            0 | 1 => Scope::All,
            2 => Scope::Credential,
            3 => Scope::Queries,
            4 | 5 => Scope::Shard(random.below(4)),
            _ => Scope::LaterPages,
        };
        let frequency = match random.below(4) {
            0 => Frequency::Always,
            1 | 2 => Frequency::First(1 + random.below(3)),
            _ => Frequency::OnceIn(2 + random.below(4)),
        };
        Self {
            faults,
            scope,
            frequency,
            requests: 0,
            random,
        }
    }

    /// Returns the fault that the next request suffers, if it suffers one.
    pub(super) fn fault(&mut self, operation: &str, input: &Value) -> Option<Fault> {
        if self.faults.is_empty() || !self.scope.contains(operation, input) {
            return None;
        }
        let fault = self.random.choose(&self.faults);
        if !fault.befalls(operation, input) {
            return None;
        }
        self.requests += 1;
        let now = match self.frequency {
            Frequency::Always => true,
            Frequency::First(count) => self.requests <= count,
            Frequency::OnceIn(times) => self.random.once_in(times),
        };
        now.then_some(fault)
    }

    pub(super) fn random(&mut self) -> &mut Random {
        &mut self.random
    }
}

impl Scope {
    fn contains(self, operation: &str, input: &Value) -> bool {
        let shard = input["ExpressionAttributeValues"][":shard"]["S"].as_str();
        match self {
            Self::All => true,
            Self::Credential => operation == "GetItem",
            Self::Queries => operation == "Query",
            // Users have one partition.
            Self::Shard(shard_number) => {
                operation == "Query"
                    && shard.is_none_or(|shard| shard == format!("p#{shard_number}"))
            }
            Self::LaterPages => !input["ExclusiveStartKey"].is_null(),
        }
    }
}
