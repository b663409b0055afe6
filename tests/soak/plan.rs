//! Which reads of a case suffer which faults.

use super::injector::{Faults, Of, Read};
use test_support::Random;

/// The faults of a case.
pub(super) struct Plan<F> {
    /// One fault alone, or a mixture.
    faults: Vec<F>,
    scope: Scope,
    frequency: Frequency,
    /// How many reads in the scope there were.
    reads: u64,
    random: Random,
}

/// The reads that suffer faults.
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

impl<F: Faults> Plan<F> {
    /// Makes a plan without faults.
    pub(super) fn none() -> Self {
        Self {
            faults: Vec::new(),
            scope: Scope::All,
            frequency: Frequency::Always,
            reads: 0,
            random: Random::of_case(0, 0),
        }
    }

    /// Makes a plan of one fault, which the first read that it can befall suffers.
    pub(super) fn of_one(fault: F, random: Random) -> Self {
        Self {
            faults: vec![fault],
            scope: Scope::All,
            frequency: Frequency::First(1),
            reads: 0,
            random,
        }
    }

    /// Makes the plan of a case.
    pub(super) fn of_case(mut random: Random) -> Self {
        let kinds = if random.once_in(2) {
            1
        } else {
            2 + random.below(5)
        };
        let faults = (0..kinds).map(|_| random.choose(F::ALL)).collect();
        let scope = match random.below(8) {
            0 | 1 => Scope::All,
            2 => Scope::Credential,
            3 => Scope::Queries,
            4 | 5 => Scope::Shard(random.below(16)),
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
            reads: 0,
            random,
        }
    }

    /// Returns the fault that the next read suffers, if it suffers one.
    pub(super) fn fault(&mut self, read: Read) -> Option<F> {
        if self.faults.is_empty() || !self.scope.contains(read) {
            return None;
        }
        let fault = self.random.choose(&self.faults);
        if !fault.befalls(read) {
            return None;
        }
        self.reads += 1;
        let now = match self.frequency {
            Frequency::Always => true,
            Frequency::First(count) => self.reads <= count,
            Frequency::OnceIn(times) => self.random.once_in(times),
        };
        now.then_some(fault)
    }

    /// Returns random choices for a fault.
    pub(super) fn fork(&mut self) -> Random {
        self.random.fork()
    }
}

impl Scope {
    fn contains(self, read: Read) -> bool {
        match self {
            Self::All => true,
            Self::Credential => read.of == Of::Credential,
            Self::Queries => read.of != Of::Credential,
            // Users have one partition.
            Self::Shard(shard) => match read.of {
                Of::Credential => false,
                Of::User | Of::Users => true,
                Of::Records(other) => shard == other,
            },
            Self::LaterPages => read.is_later,
        }
    }
}
