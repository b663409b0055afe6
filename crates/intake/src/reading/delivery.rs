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
    /// The records at the beginning of the input, until it is known whether they have the paths of the options.
    held: Option<Held>,
}

/// The records at the beginning of the input.
#[derive(Default)]
struct Held {
    records: Vec<(Origin, Result<Record, Reason>)>,
    bytes: usize,
}

impl Delivery {
    pub(crate) fn new(receiver: Box<dyn Receiver>, paths: &Paths) -> Self {
        let held = (!paths.are_all_seen()).then(Held::default);
        Self { receiver, held }
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
                held.bytes += origin.raw.len();
                held.records.push((origin, outcome));
                if held.bytes > BEGINNING || paths.are_all_seen() {
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

    /// Hands over the records that were held, and holds no others. Fails if a path that is mapped is absent from them.
    pub(crate) fn release(&mut self, paths: &Paths) -> anyhow::Result<()> {
        let records = self.held.take_if(|held| !held.records.is_empty());
        let Some(Held { records, .. }) = records else {
            return Ok(());
        };
        paths.check()?;
        records
            .into_iter()
            .try_for_each(|(origin, outcome)| self.hand_over(origin, outcome))
    }

    fn hand_over(&mut self, origin: Origin, outcome: Result<Record, Reason>) -> anyhow::Result<()> {
        match outcome {
            Ok(record) => self.receiver.record(origin, record),
            Err(reason) => self.receiver.rejected(&origin, &reason),
        }
    }
}
