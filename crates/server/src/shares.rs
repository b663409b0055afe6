//! What clients share: the places of connections, and the memory of responses. When all of it is taken, those
//! who have held a share longest give way to those who wait for one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

/// How long whoever waits for a share sleeps until it looks again.
const PAUSE: Duration = Duration::from_millis(5);

/// A limited amount, of which clients hold shares.
pub(crate) struct Shares {
    limit: usize,
    held: Mutex<BTreeMap<u64, Held>>,
    /// Locked by the first of those who wait.
    queue: tokio::sync::Mutex<()>,
}

/// A share of this amount, or what is left of one that gave way.
#[derive(Default)]
struct Held {
    amount: usize,
    /// What it is for, when it gives way, and how long it was spared before; `None` if it does not give way.
    gives_way: Option<(Purpose, Instant, Duration)>,
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
    /// The response to a request, of a megabyte or more.
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

    /// Waits for a share, behind those who have waited for longer. Once this has taken as long as `patience`,
    /// others give way. The share itself does not until [`Share::hold`] is called.
    pub(crate) async fn take(
        self: &Arc<Self>,
        amount: usize,
        patience: Duration,
        closing: &Arc<Notify>,
    ) -> Share {
        let patient = Instant::now() + patience;
        let _first = self.queue.lock().await;
        while !self.make_way(amount, patient) {
            sleep(PAUSE).await;
        }
        let mut held = self.held();
        let number = held.keys().next_back().map_or(0, |last| last + 1);
        let share = Held {
            amount,
            gives_way: None,
            closing: closing.clone(),
        };
        held.insert(number, share);
        let of = self.clone();
        Share { of, number }
    }

    /// Returns whether there is room for this amount. If there is not, but enough give way, they do.
    fn make_way(&self, amount: usize, patient: Instant) -> bool {
        let (mut held, now) = (self.held(), Instant::now());
        let taken: usize = held.values().map(|share| share.amount).sum();
        let mut missing = (taken + amount).saturating_sub(self.limit);
        if missing == 0 {
            return true;
        }
        let mut all: Vec<_> = held
            .values_mut()
            .filter(|share| share.gives_way.is_some())
            .collect();
        all.sort_by_key(|share| share.gives_way);
        // Others are spared for as long as those of the first purpose take to give way, and no longer: they may
        // be others each time.
        let first = all.first().and_then(|share| share.gives_way);
        all.retain(|share| {
            let is_over = |(purpose, at, _), (first, _, least)| {
                at <= now && patient <= now && (purpose == first || patient + least <= now)
            };
            share
                .gives_way
                .zip(first)
                .is_some_and(|(way, first)| is_over(way, first))
        });
        if all.iter().map(|share| share.amount).sum::<usize>() < missing {
            return false;
        }
        for share in all {
            if missing > 0 {
                missing = missing.saturating_sub(share.amount);
                share.closing.notify_one();
                *share = Held::default();
            }
        }
        true
    }

    /// Locks the shares. A panic elsewhere leaves them whole, so a poisoned lock is harmless.
    fn held(&self) -> MutexGuard<'_, BTreeMap<u64, Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    /// Needs at most this amount from now on, for this purpose, and gives way after `least`.
    pub(crate) fn hold(&self, amount: usize, purpose: Purpose, least: Duration) {
        if let Some(share) = self.of.held().get_mut(&self.number) {
            share.amount = share.amount.min(amount);
            share.gives_way = Some((purpose, Instant::now() + least, least));
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.of.held().remove(&self.number);
    }
}
