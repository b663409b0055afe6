//! Decides which reads of a store suffer which faults, and notes them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use test_support::Random;

use super::faults::{Consequence, Face, Fault};
use super::store::{Of, Read};

/// A fault that was injected.
#[derive(Debug, Clone)]
pub(super) struct Injected {
    /// The fault, for whoever looks into a case.
    #[allow(dead_code)] // read by `Debug`
    pub(super) fault: Fault,
    pub(super) read: Read,
    pub(super) consequence: Consequence,
}

/// The faults of all stores with one face together.
pub(super) struct Budget {
    pub(super) face: Face,
    /// How many are to be injected, and how many were.
    faults: usize,
    injected: AtomicUsize,
    /// The kinds that were not injected alone yet.
    untried: Mutex<VecDeque<Fault>>,
}

impl Budget {
    pub(super) fn of(face: Face, faults: usize) -> Arc<Self> {
        Arc::new(Self {
            face,
            faults,
            injected: AtomicUsize::new(0),
            untried: Mutex::new(face.faults().into()),
        })
    }

    /// Returns whether enough were injected, and every kind alone.
    pub(super) fn is_spent(&self) -> bool {
        let injected = self.injected.load(Ordering::Relaxed);
        injected >= self.faults && self.untried.lock().unwrap().is_empty()
    }
}

/// The faults of one store, which runs one case at a time.
pub(super) struct Injector {
    budget: Arc<Budget>,
    case: Mutex<Option<Case>>,
}

struct Case {
    /// One fault alone, or a mixture.
    faults: Vec<Fault>,
    scope: Scope,
    frequency: Frequency,
    /// How many reads in the scope there were.
    reads: u64,
    random: Random,
    /// Whether the fault is injected alone, for the first time.
    is_first: bool,
    injected: Vec<Injected>,
}

/// Whether a read may suffer a fault.
type Scope = Box<dyn Fn(Read) -> bool + Send>;

/// Whether the read of this number does.
type Frequency = Box<dyn Fn(u64, &mut Random) -> bool + Send>;

impl Injector {
    /// Makes an injector that injects no faults yet.
    pub(super) fn new(budget: Arc<Budget>) -> Self {
        Self {
            budget,
            case: Mutex::new(None),
        }
    }

    pub(super) fn face(&self) -> Face {
        self.budget.face
    }

    /// Injects the faults of a case from now on: one kind alone that was not tried yet, or what the case selects.
    pub(super) fn begin(&self, mut random: Random) {
        let first = self.budget.untried.lock().unwrap().pop_front();
        // It stays there until it was injected: not every request has the read that it befalls.
        self.budget.untried.lock().unwrap().extend(first);
        let (faults, scope, frequency) = match first {
            Some(kind) => alone(kind),
            None => mixture(self.budget.face, &mut random),
        };
        *self.case.lock().unwrap() = Some(Case {
            faults,
            scope,
            frequency,
            reads: 0,
            random,
            is_first: first.is_some(),
            injected: Vec::new(),
        });
    }

    /// Injects no more faults; returns those of the case.
    pub(super) fn end(&self) -> Vec<Injected> {
        let case = self.case.lock().unwrap().take().unwrap();
        if case.is_first && !case.injected.is_empty() {
            let mut untried = self.budget.untried.lock().unwrap();
            untried.retain(|kind| *kind != case.faults[0]);
        }
        case.injected
    }

    /// Returns the fault that this read suffers, if it suffers one, with random choices of its own.
    pub(super) fn next(&self, read: Read) -> Option<(Fault, Random)> {
        let mut current = self.case.lock().unwrap();
        let case = current.as_mut()?;
        let fault = case.fault(read, self.budget.face)?;
        self.budget.injected.fetch_add(1, Ordering::Relaxed);
        case.injected.push(Injected {
            fault,
            read,
            consequence: fault.consequence(read),
        });
        Some((fault, case.random.fork()))
    }
}

impl Case {
    /// Returns the fault that the next read suffers, if it suffers one.
    fn fault(&mut self, read: Read, face: Face) -> Option<Fault> {
        let fault = self.random.choose(&self.faults);
        if !(self.scope)(read) || !fault.befalls(read, face) {
            return None;
        }
        self.reads += 1;
        (self.frequency)(self.reads, &mut self.random).then_some(fault)
    }
}

/// Selects one fault, which the first read that it can befall suffers.
fn alone(fault: Fault) -> (Vec<Fault>, Scope, Frequency) {
    let first: Frequency = Box::new(|number, _| number == 1);
    (vec![fault], Box::new(|_| true), first)
}

fn mixture(face: Face, random: &mut Random) -> (Vec<Fault>, Scope, Frequency) {
    let is_one = random.once_in(2);
    let kinds = if is_one { 1 } else { 2 + random.below(5) };
    let all = face.faults();
    let faults = (0..kinds).map(|_| random.choose(&all)).collect();
    (faults, scope(random), frequency(random))
}

/// Selects all reads, that of the credential, Queries, those of a shard or of users, or those of later pages.
fn scope(random: &mut Random) -> Scope {
    match random.below(8) {
        0 | 1 => Box::new(|_| true),
        2 => Box::new(|read| read.of == Of::Credential),
        3 => Box::new(|read| read.of != Of::Credential),
        4 | 5 => {
            let shard = random.below(16);
            // Users have one partition.
            Box::new(move |read| match read.of {
                Of::Credential => false,
                Of::User | Of::Users => true,
                Of::Records(other) => shard == other,
            })
        }
        _ => Box::new(|read| read.is_later),
    }
}

/// Selects every read, the first ones, or one of a few.
fn frequency(random: &mut Random) -> Frequency {
    match random.below(4) {
        0 => Box::new(|_, _| true),
        1 | 2 => {
            let count = 1 + random.below(3);
            Box::new(move |number, _| number <= count)
        }
        _ => {
            let times = 2 + random.below(4);
            Box::new(move |_, random| random.once_in(times))
        }
    }
}
