//! The index of the responses table that holds the outcomes and no traits (docs/item-format.md).
//! DynamoDB charges for whole records, so what needs no traits is read from it.

use std::sync::{Mutex, PoisonError};

use super::{Error, Source, Store};
use crate::model::Timestamp;

/// The index of outcomes.
#[derive(Debug)]
pub struct OutcomesIndex {
    pub(super) name: String,
    refused_at: Mutex<Option<Timestamp>>,
}

impl Store {
    /// Returns the index for a request that arrived at `now`, unless there is none or it is avoided.
    pub fn outcomes_index(&self, now: Timestamp) -> Option<&OutcomesIndex> {
        match &self.0 {
            Source::DynamoDb(store) => store.outcomes.as_ref(),
            Source::Local(_) => None,
        }
        .filter(|index| !index.is_avoided(now))
    }
}

impl OutcomesIndex {
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            refused_at: Mutex::default(),
        }
    }

    const AVOIDED_MILLIS: i64 = 60_000;

    /// Notes that DynamoDB refused a Query of the index, which is missing, still being filled, or
    /// forbidden. Requests avoid it for a minute.
    pub fn avoid(&self, refusal: &Error, now: Timestamp) {
        refusal.log_avoidance();
        *self.refused_at() = Some(now);
    }

    fn is_avoided(&self, now: Timestamp) -> bool {
        self.refused_at().is_some_and(|refused_at| {
            (0..Self::AVOIDED_MILLIS).contains(&now.millis_since(refused_at))
        })
    }

    fn refused_at(&self) -> std::sync::MutexGuard<'_, Option<Timestamp>> {
        self.refused_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
