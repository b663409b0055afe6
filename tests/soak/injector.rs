//! Decides which reads of a store suffer faults, and notes which did.

use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::plan::Plan;
use super::random::Random;

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

/// How many more faults may be injected, by all stores of a group together.
pub(super) struct Budget(AtomicUsize);

impl Budget {
    pub(super) fn of(faults: usize) -> Arc<Self> {
        Arc::new(Self(faults.into()))
    }

    pub(super) fn is_spent(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    fn spend(&self) -> bool {
        let less = |left: usize| left.checked_sub(1);
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
            .is_ok()
    }
}

/// The faults of one store.
pub(super) struct Injector<F> {
    budget: Arc<Budget>,
    current: Mutex<(Plan<F>, Vec<Injected>)>,
}

impl<F: Faults> Injector<F> {
    /// Makes an injector that injects no faults yet.
    pub(super) fn new(budget: Arc<Budget>) -> Arc<Self> {
        Arc::new(Self {
            budget,
            current: Mutex::new((Plan::none(), Vec::new())),
        })
    }

    /// Injects faults as this plan says from now on; returns those that the plan before has injected.
    pub(super) fn follow(&self, plan: Plan<F>) -> Vec<Injected> {
        let mut current = self.current.lock().unwrap();
        std::mem::replace(&mut *current, (plan, Vec::new())).1
    }

    /// Returns the fault that this read suffers, if it suffers one, with random choices of its own.
    pub(super) fn next(&self, read: Read) -> Option<(F, Random)> {
        let mut current = self.current.lock().unwrap();
        let (plan, injected) = &mut *current;
        let fault = plan.fault(read).filter(|_| self.budget.spend())?;
        injected.push(Injected {
            fault: format!("{fault:?}"),
            read,
            consequence: fault.consequence(read),
        });
        Some((fault, plan.fork()))
    }
}
