//! Decides which reads of a store suffer faults, and notes which did.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::plan::Plan;
use test_support::Random;

/// A read of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) of: Of,
    /// Whether it is for a page after the first one.
    pub(super) is_later: bool,
}

/// What is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Credential,
    User,
    Users,
    /// The records of the shard of this number.
    Records(u64),
}

/// The kinds of faults of a store.
pub(super) trait Faults: Copy + Debug + Send + Sync + 'static {
    const ALL: &'static [Self];

    /// Returns whether the fault can befall this read.
    fn befalls(self, read: Read) -> bool;

    /// Returns what the fault explains, in a response that is not late.
    fn consequence(self, read: Read) -> Consequence;
}

/// What a fault explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Consequence {
    /// Nothing but that time passes.
    Delay,
    /// The store is unavailable.
    Failure,
    /// The store would fail again, so it may be an internal error, too.
    PermanentFailure,
    /// There is no such credential.
    Absence,
}

/// A fault that was injected.
#[derive(Debug, Clone)]
pub(super) struct Injected {
    /// The fault, for whoever looks into a case.
    #[allow(dead_code)] // read by `Debug`
    pub(super) fault: String,
    pub(super) read: Read,
    pub(super) consequence: Consequence,
}

/// The faults of all stores of a group together.
pub(super) struct Budget {
    /// How many more may be injected.
    left: AtomicUsize,
    /// The kinds that were not injected alone yet, by their numbers.
    untried: Mutex<VecDeque<usize>>,
}

impl Budget {
    pub(super) fn of<F: Faults>(faults: usize) -> Arc<Self> {
        Arc::new(Self {
            left: faults.into(),
            untried: Mutex::new((0..F::ALL.len()).collect()),
        })
    }

    /// Returns whether nothing is left to inject, and every kind was injected alone.
    pub(super) fn is_spent(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0 && self.untried.lock().unwrap().is_empty()
    }

    fn spend(&self) -> bool {
        let less = |left: usize| left.checked_sub(1);
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
            .is_ok()
    }
}

/// The faults of one store.
pub(super) struct Injector<F> {
    budget: Arc<Budget>,
    current: Mutex<Current<F>>,
}

/// The case that a store runs.
struct Current<F> {
    plan: Plan<F>,
    injected: Vec<Injected>,
    /// The kind that is injected alone, for the first time.
    first: Option<usize>,
}

impl<F: Faults> Injector<F> {
    /// Makes an injector that injects no faults yet.
    pub(super) fn new(budget: Arc<Budget>) -> Arc<Self> {
        Arc::new(Self {
            budget,
            current: Mutex::new(Current {
                plan: Plan::none(),
                injected: Vec::new(),
                first: None,
            }),
        })
    }

    /// Injects the faults of a case from now on: one kind alone that was not tried yet, or what the case selects.
    pub(super) fn begin(&self, random: Random) {
        let first = self.budget.untried.lock().unwrap().pop_front();
        // It stays there until it was injected: not every request has the read that it befalls.
        self.budget.untried.lock().unwrap().extend(first);
        let mut current = self.current.lock().unwrap();
        current.plan = match first {
            Some(kind) => Plan::of_one(F::ALL[kind], random),
            None => Plan::of_case(random),
        };
        current.first = first;
    }

    /// Injects no more faults; returns those of the case.
    pub(super) fn end(&self) -> Vec<Injected> {
        let mut current = self.current.lock().unwrap();
        current.plan = Plan::none();
        let injected = std::mem::take(&mut current.injected);
        if let Some(tried) = current.first.take().filter(|_| !injected.is_empty()) {
            let mut untried = self.budget.untried.lock().unwrap();
            untried.retain(|kind| *kind != tried);
        }
        injected
    }

    /// Returns the fault that this read suffers, if it suffers one, with random choices of its own.
    pub(super) fn next(&self, read: Read) -> Option<(F, Random)> {
        let mut current = self.current.lock().unwrap();
        let fault = current.plan.fault(read);
        let fault = fault.filter(|_| self.budget.spend() || current.first.is_some())?;
        current.injected.push(Injected {
            fault: format!("{fault:?}"),
            read,
            consequence: fault.consequence(read),
        });
        Some((fault, current.plan.fork()))
    }
}
