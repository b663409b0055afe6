//! Hands records to a receiver, once it is known that the options fit them.

use crate::raw::origin::Origin;
use crate::reading::beginning::LENGTH;
use crate::record::paths::Paths;
use crate::report::receiver::{Receiver, Record};
use crate::rules::reason::Reason;

/// A record, or why it is rejected.
pub(crate) type Parsed = (Origin, Result<Record, Reason>);

pub(crate) struct Delivery {
    pub(crate) receiver: Box<dyn Receiver>,
    /// The records that wait.
    held: Vec<Parsed>,
    /// The size of the records in which the paths of the options were looked for; `None` once that is decided.
    searched: Option<usize>,
}

impl Delivery {
    pub(crate) fn new(receiver: Box<dyn Receiver>, paths: &Paths) -> Self {
        Self {
            receiver,
            held: Vec::new(),
            searched: (!paths.are_all_seen()).then_some(0),
        }
    }

    /// Hands over a record, which waits while the options may not fit.
    pub(crate) fn deliver(&mut self, record: Parsed, paths: &Paths) -> anyhow::Result<()> {
        let (origin, _) = &record;
        let (Some(searched), false) = (&mut self.searched, origin.is_row()) else {
            return self.hand_over(record);
        };
        *searched += origin.raw.len();
        let is_searched = *searched > LENGTH || paths.are_all_seen();
        self.held.push(record);
        if !is_searched {
            return Ok(());
        }
        self.release(paths)?;
        if let Some(unseen) = paths.unseen() {
            self.receiver
                .note(&format!("no record so far has {unseen}"));
        }
        Ok(())
    }

    /// Hands over the records that were held, and holds no others for the options. Fails if a path that is mapped
    /// is absent from them.
    pub(crate) fn release(&mut self, paths: &Paths) -> anyhow::Result<()> {
        let held = std::mem::take(&mut self.held);
        if !held.is_empty() && self.searched.take().is_some() {
            paths.check()?;
        }
        let mut held = held.into_iter();
        held.try_for_each(|record| self.hand_over(record))
    }

    fn hand_over(&mut self, (origin, parsed): Parsed) -> anyhow::Result<()> {
        match parsed {
            Ok(record) => self.receiver.record(origin, record),
            Err(reason) => self.receiver.rejected(&origin, &reason),
        }
    }
}
