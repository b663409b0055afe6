//! Hands records to a receiver, once it is known that the options fit them.

use crate::record::paths::Paths;
use crate::report::receiver::{Receiver, Record};
use crate::rules::reason::Reason;
use crate::source::origin::Origin;

/// The beginning of the input, in bytes of records, in which the paths of options are looked for.
const BEGINNING: usize = 1 << 20;

/// Hands records to a receiver.
pub(crate) struct Delivery {
    pub(crate) receiver: Box<dyn Receiver>,
    /// The records at the beginning of the input, until it is known whether they have the paths of the
    /// options.
    held: Option<Vec<(Origin, Result<Record, Reason>)>>,
    /// The size of the texts of these records.
    held_bytes: usize,
}

impl Delivery {
    pub(crate) fn new(receiver: Box<dyn Receiver>, paths: &Paths) -> Self {
        Self {
            receiver,
            held: (!paths.are_all_seen()).then(Vec::new),
            held_bytes: 0,
        }
    }

    /// Hands over a record, or why it is rejected.
    pub(crate) fn deliver(
        &mut self,
        origin: Origin,
        outcome: Result<Record, Reason>,
        paths: &Paths,
    ) -> anyhow::Result<()> {
        match &mut self.held {
            Some(held) if !origin.is_row() => {
                self.held_bytes += origin.raw.len();
                held.push((origin, outcome));
                if self.held_bytes > BEGINNING || paths.are_all_seen() {
                    self.release(paths)?;
                    if let Some(unseen) = paths.unseen() {
                        self.receiver
                            .note(&format!("no record so far has {unseen}"));
                    }
                }
                Ok(())
            }
            _ => self.hand_over(origin, outcome),
        }
    }

    /// Hands over the records that were held, and holds no others. Fails if a path that is mapped is absent
    /// from them.
    pub(crate) fn release(&mut self, paths: &Paths) -> anyhow::Result<()> {
        let Some(held) = self.held.take_if(|held| !held.is_empty()) else {
            return Ok(());
        };
        paths.check()?;
        let mut held = held.into_iter();
        held.try_for_each(|(origin, outcome)| self.hand_over(origin, outcome))
    }

    fn hand_over(&mut self, origin: Origin, outcome: Result<Record, Reason>) -> anyhow::Result<()> {
        match outcome {
            Ok(record) => self.receiver.record(origin, record),
            Err(reason) => self.receiver.rejected(&origin, &reason),
        }
    }
}
