//! What clients share: the places of connections, and the memory of responses. When all of it is taken, those
//! who have held a share longest give way to those who wait for one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

/// How long whoever waits for a share sleeps until it looks again.
const PAUSE: Duration = Duration::from_millis(5);

/// How long the first of those who wait has got nothing when small responses give way.
const STANDSTILL: Duration = Duration::from_secs(1);

/// A limited amount, of which clients hold shares.
pub(crate) struct Shares {
    limit: usize,
    held: Mutex<BTreeMap<u64, Held>>,
    /// Locked by the first of those who wait.
    queue: tokio::sync::Mutex<()>,
}

struct Held {
    amount: usize,
    purpose: Purpose,
    /// When it gives way, and how long it is spared before.
    at: Instant,
    least: Duration,
    /// Notified when it gives way.
    closing: Arc<Notify>,
}

/// What a share is for. Shares give way in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Purpose {
    /// A connection that never had a request.
    NewConnection,
    /// A connection whose client may be sending the next request.
    KeptConnection,
    /// A request that needs no credentials, or whose credentials are not verified yet.
    Request,
    AuthenticatedRequest,
    /// A response that is not there yet. It does not give way, because it soon needs less.
    Reading,
    /// A response of a megabyte or more.
    LargeResponse,
    /// A response that is small, or produced while it is sent.
    OtherResponse,
}

/// A share, which is returned when this is dropped.
pub(crate) struct Share {
    of: Arc<Shares>,
    number: u64,
}

impl Shares {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            held: Mutex::default(),
            queue: tokio::sync::Mutex::default(),
        })
    }

    /// Waits for a share, behind those who have waited for longer. Others give way to it.
    pub(crate) async fn take(
        self: &Arc<Self>,
        amount: usize,
        purpose: Purpose,
        least: Duration,
        closing: &Arc<Notify>,
    ) -> Share {
        let since = Instant::now();
        let _first = self.queue.lock().await;
        let first_since = Instant::now();
        while !self.make_way(amount, since, first_since) {
            sleep(PAUSE).await;
        }
        let mut held = lock(&self.held);
        let number = held.keys().next_back().map_or(0, |last| last + 1);
        let share = Held {
            amount,
            purpose,
            at: Instant::now() + least,
            least,
            closing: closing.clone(),
        };
        held.insert(number, share);
        let of = self.clone();
        Share { of, number }
    }

    /// Returns whether there is room for this amount. If there is not, but enough give way to whoever has waited
    /// since then, and is the first of those who wait since `first_since`, they do.
    fn make_way(&self, amount: usize, since: Instant, first_since: Instant) -> bool {
        let (mut held, now) = (lock(&self.held), Instant::now());
        let taken: usize = held.values().map(|share| share.amount).sum();
        let mut missing = (taken + amount).saturating_sub(self.limit);
        if missing == 0 {
            return true;
        }
        // What has given way holds nothing any more.
        let mut all: Vec<_> = held.values_mut().filter(|share| share.amount > 0).collect();
        all.sort_unstable_by_key(|share| (share.purpose, share.at));
        // As long as the kind before takes to give way, and no longer: it may be others each time.
        let (mut leaving, mut spared) = (Vec::new(), Duration::ZERO);
        for shares in all.chunk_by_mut(|one, other| one.purpose == other.purpose) {
            let Some(&Held { purpose, least, .. }) = shares.first().map(|share| &**share) else {
                continue;
            };
            let mut from = since + spared;
            if purpose == Purpose::OtherResponse {
                // Each frees little, and those who wait may soon get room one after the other.
                from = from.max(first_since + STANDSTILL);
            }
            let over = shares.iter_mut().filter(|share| share.at.max(from) <= now);
            leaving.extend(over.filter(|_| purpose != Purpose::Reading));
            spared = least;
        }
        if leaving.iter().map(|share| share.amount).sum::<usize>() < missing {
            return false;
        }
        for share in leaving {
            if missing > 0 {
                missing = missing.saturating_sub(share.amount);
                share.amount = 0;
                share.closing.notify_one();
            }
        }
        true
    }
}

impl Share {
    /// Needs at most this amount from now on, for this purpose, and gives way after `least`. Returns whether
    /// it could have given way until now.
    pub(crate) fn hold(&self, amount: usize, purpose: Purpose, least: Duration) -> bool {
        let (mut held, now) = (lock(&self.of.held), Instant::now());
        held.get_mut(&self.number).is_some_and(|share| {
            let was_over = share.at <= now;
            share.amount = share.amount.min(amount);
            (share.purpose, share.at, share.least) = (purpose, now + least, least);
            was_over
        })
    }

    /// Gives way if somebody waits for a share, and no connection without a request can give way; returns
    /// whether it did.
    pub(crate) fn gives_way(&self) -> bool {
        let (mut held, now) = (lock(&self.of.held), Instant::now());
        let taken: usize = held.values().map(|share| share.amount).sum();
        let mut others = held.values().filter(|share| share.amount > 0);
        let others_can = others.any(|share| match share.purpose {
            Purpose::NewConnection => true,
            purpose => purpose == Purpose::KeptConnection && share.at <= now,
        });
        // Whoever takes a share locks the queue for a moment, even if there is room.
        if taken < self.of.limit || others_can || self.of.queue.try_lock().is_ok() {
            return false;
        }
        let share = held.get_mut(&self.number);
        share.is_some_and(|share| std::mem::take(&mut share.amount) > 0)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        lock(&self.of.held).remove(&self.number);
    }
}

/// Locks what a panic elsewhere leaves whole, so a poisoned lock is harmless.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
