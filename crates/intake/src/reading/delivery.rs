//! Hands records to a receiver, once it is known that the options fit them and that their file has what it
//! needs.

use crate::reading::beginning::LENGTH;
use crate::record::paths::Paths;
use crate::report::receiver::{Receiver, Record};
use crate::rules::reason::Reason;
use crate::source::origin::Origin;

/// Hands records to a receiver.
pub(crate) struct Delivery {
    pub(crate) receiver: Box<dyn Receiver>,
    /// The records that wait.
    held: Vec<(Origin, Result<Record, Reason>)>,
    /// How many of them are of other files than the current one.
    of_other_files: usize,
    /// The size of the records in which the paths of the options were looked for; `None` once that is decided.
    searched: Option<usize>,
}

impl Delivery {
    pub(crate) fn new(receiver: Box<dyn Receiver>, paths: &Paths) -> Self {
        Self {
            receiver,
            held: Vec::new(),
            of_other_files: 0,
            searched: (!paths.are_all_seen()).then_some(0),
        }
    }

    pub(crate) fn begin_file(&mut self) {
        self.of_other_files = self.held.len();
    }

    /// Forgets the records of the current file, which is refused.
    pub(crate) fn refuse_file(&mut self) {
        self.held.truncate(self.of_other_files);
    }

    /// Hands over a record, or why it is rejected. It waits while its file may be refused.
    pub(crate) fn deliver(
        &mut self,
        origin: Origin,
        outcome: Result<Record, Reason>,
        paths: &Paths,
        file_is_accepted: bool,
    ) -> anyhow::Result<()> {
        if origin.is_row() || (self.searched.is_none() && file_is_accepted) {
            return self.hand_over(origin, outcome);
        }
        self.searched = self.searched.map(|bytes| bytes + origin.raw.len());
        self.held.push((origin, outcome));
        let is_searched = self.searched.is_none_or(|bytes| bytes > LENGTH) || paths.are_all_seen();
        if !(is_searched && file_is_accepted) {
            return Ok(());
        }
        self.release(paths)?;
        if let Some(unseen) = paths.unseen() {
            self.receiver
                .note(&format!("no record so far has {unseen}"));
        }
        Ok(())
    }

    /// Ends a file that is accepted.
    pub(crate) fn end_file(&mut self, paths: &Paths) -> anyhow::Result<()> {
        if self.searched.is_none() {
            self.release(paths)?;
        }
        self.receiver.end_of_file()
    }

    /// Hands over the records that were held, and holds no others for the options. Fails if a path that is mapped
    /// is absent from them.
    pub(crate) fn release(&mut self, paths: &Paths) -> anyhow::Result<()> {
        let held = std::mem::take(&mut self.held);
        if !held.is_empty() && self.searched.take().is_some() {
            paths.check()?;
        }
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
