//! Where records go.

use items::EncodedItem;

use crate::origin::Origin;
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
