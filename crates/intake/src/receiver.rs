//! Where records go, and which of them wait before.

use items::EncodedItem;

use crate::field_search::BEGINNING;
use crate::paths::Paths;
use crate::raw_record::Origin;
use crate::reason::Reason;

/// Receives what is read. An error ends the reading.
pub trait Receiver {
    /// Receives a record.
    fn record(&mut self, origin: Origin, record: Record) -> anyhow::Result<()>;

    /// Receives a record that is rejected.
    fn rejected(&mut self, origin: &Origin, reason: &Reason) -> anyhow::Result<()>;

    /// Receives a line for the user.
    fn note(&mut self, line: &str);

    /// Learns that a file has ended.
    fn end_of_file(&mut self) -> anyhow::Result<()>;
}

/// What a record says: the response, if it is one, and its user.
#[derive(Debug, Default)]
pub struct Record {
    /// The response.
    pub response: Option<EncodedItem>,
    /// The user, if it is known and wanted.
    pub user: Option<EncodedItem>,
}

/// A record, or why it is rejected.
pub(crate) type Parsed = (Origin, Result<Record, Reason>);

/// Hands records to a receiver, once it is known that the options fit them. Those of JSON wait until each path
/// of the options was in one of them, or the beginning of the input is over.
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
        let Some(searched) = self.searched.as_mut().filter(|_| !origin.is_row()) else {
            return self.hand_over(record);
        };
        *searched += origin.raw.len();
        let is_searched = *searched > BEGINNING || paths.are_all_seen();
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

    /// Hands over the records that were held, and holds no others for the options. Fails if a path that is
    /// mapped is absent from them.
    pub(crate) fn release(&mut self, paths: &Paths) -> anyhow::Result<()> {
        let held = std::mem::take(&mut self.held);
        if !held.is_empty() && self.searched.take().is_some() {
            paths.check()?;
        }
        held.into_iter()
            .try_for_each(|record| self.hand_over(record))
    }

    fn hand_over(&mut self, (origin, parsed): Parsed) -> anyhow::Result<()> {
        match parsed {
            Ok(record) => self.receiver.record(origin, record),
            Err(reason) => self.receiver.rejected(&origin, &reason),
        }
    }
}
