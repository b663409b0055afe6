//! Reads the response records of a project.

use std::collections::BTreeSet;

use super::page::FetchedPage;
use super::read::{Attributes, Consistency, KeyRange, PageRead};
use super::{Error, Store};
use crate::items::{Partition, RecordDetail, RecordSelection, ResponseReader, ResponseRow, Shard};
use crate::model::{Period, ProjectId, Usage};

/// A range of the response records of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordRange {
    /// The shard.
    pub shard: Shard,
    /// When they were created. It must not be empty, because DynamoDB refuses bounds in the wrong order.
    pub period: Period,
    /// The range key after which they begin; `None` at the beginning of the period.
    pub after: Option<String>,
}

/// A page of response records that is still to be decoded.
#[derive(Debug)]
pub struct ResponsePage(FetchedPage);

impl Store {
    /// Queries the first page of a range of records, in the index of outcomes if there is one and it has
    /// all that is selected. Eventually consistent.
    pub fn responses(
        &self,
        project: &ProjectId,
        range: &RecordRange,
        selection: &RecordSelection,
    ) -> impl Future<Output = Result<ResponsePage, Error>> + use<> {
        let period = &range.period;
        let read = PageRead {
            partition: Partition::of_responses(project, range.shard),
            range: KeyRange::Between([period.start().to_string(), last_key(period)]),
            after: range.after.clone(),
            limit: None,
            attributes: attributes(selection),
            consistency: Consistency::Eventual,
        };
        let page = FetchedPage::fetch(self.0.clone(), read);
        async { page.await.map(ResponsePage) }
    }
}

/// Returns what is needed of each record.
fn attributes(selection: &RecordSelection) -> Attributes {
    let RecordSelection {
        filters, segments, ..
    } = selection;
    let others: &[_] = match selection.detail {
        RecordDetail::Respondent => &["at", "userId"],
        RecordDetail::Traits => &["traits"],
        // Without intervals, the outcome is enough.
        RecordDetail::Outcome if segments.edges().is_empty() => &[],
        RecordDetail::Outcome => &["at"],
    };
    let filtered = filters.iter().map(|filtered| filtered.name.as_str());
    let grouped = segments.group_by().map(|group_by| group_by.name.as_str());
    let traits = match selection.detail {
        RecordDetail::Traits => BTreeSet::new(),
        _ => filtered.chain(grouped).map(str::to_owned).collect(),
    };
    Attributes::Outcome {
        others: others.to_vec(),
        traits,
    }
}

/// Returns the greatest sort key that a Query of the period includes: a text between the keys of all
/// earlier instants and the end, where the next period begins. `BETWEEN` includes its bounds, and a key
/// may be an instant alone.
fn last_key(period: &Period) -> String {
    period.end().to_string().replace('Z', "Y")
}

impl ResponsePage {
    /// Calls `row` with each record of the page that passes the filters. Skips records that cannot be
    /// decoded. Returns the range key after which the next page begins; `None` on the last page.
    pub fn read(
        self,
        selection: &RecordSelection,
        usage: &Usage,
        row: &mut dyn FnMut(ResponseRow<'_>),
    ) -> Result<Option<String>, Error> {
        let mut reader = ResponseReader::new(selection, row);
        let last_key = self.0.read(&mut reader, usage)?;
        usage.add_skipped(reader.damaged());
        Ok(last_key)
    }
}
