//! Reads the response records of a project.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::page::{FetchedPage, Pages};
use super::read::{Attributes, Consistency, KeyRange, PageRead};
use super::{Error, OutcomesIndex, Store};
use crate::items::{Partition, RecordDetail, RecordSelection, ResponseReader, ResponseRow};
use crate::model::{Period, ProjectId, Usage};

/// The records of one shard over a period, page by page.
#[derive(Debug)]
pub struct ResponsePages {
    pages: Pages,
    selection: RecordSelection,
    usage: Arc<Usage>,
}

/// A page of response records that is still to be decoded.
pub struct ResponsePage<'a> {
    page: FetchedPage<'a>,
    selection: &'a RecordSelection,
    usage: &'a Usage,
}

impl Store {
    /// Queries the selected records of this shard of the project. Eventually consistent.
    pub fn responses(
        &self,
        project: &ProjectId,
        shard: u8,
        selection: RecordSelection,
        usage: Arc<Usage>,
    ) -> ResponsePages {
        let period = &selection.period;
        let pages = self.pages(PageRead {
            partition: Partition::of_responses(project, shard),
            range: KeyRange::Between([period.start().to_string(), last_key(period)]),
            after: None,
            limit: None,
            attributes: attributes(&selection),
            index: None,
            consistency: Consistency::Eventual,
        });
        ResponsePages {
            pages,
            selection,
            usage,
        }
    }
}

/// Returns what is needed of each record.
fn attributes(selection: &RecordSelection) -> Attributes {
    let RecordSelection {
        filters, segments, ..
    } = selection;
    let others: &[_] = match selection.detail {
        RecordDetail::Respondent => &["at", "userId"],
        // Without intervals.
        RecordDetail::Traits => &["traits"],
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

/// Returns the greatest sort key that a Query of the period includes: a text between the keys of all earlier
/// instants and the end, where the next period begins. `BETWEEN` includes its bounds, and a key may be an instant
/// alone.
fn last_key(period: &Period) -> String {
    period.end().to_string().replace('Z', "Y")
}

impl ResponsePages {
    /// Reads the index instead of the table. It holds no traits, so filters and groups need the table.
    #[must_use]
    pub fn in_index(self, index: &OutcomesIndex) -> Self {
        Self {
            pages: self.pages.in_index(&index.name),
            ..self
        }
    }

    /// Fetches the next page; returns `None` after the last one.
    pub async fn next(&mut self) -> Result<Option<ResponsePage<'_>>, Error> {
        let page = self.pages.next().await?;
        Ok(page.map(|page| ResponsePage {
            page,
            selection: &self.selection,
            usage: &self.usage,
        }))
    }
}

impl ResponsePage<'_> {
    /// Calls `row` with each record of the page that passes the filters. Skips records that cannot be
    /// decoded.
    pub fn read(self, row: &mut dyn FnMut(ResponseRow<'_>)) -> Result<(), Error> {
        let mut reader = ResponseReader::new(self.selection, row);
        self.page.read(&mut reader, self.usage)?;
        self.usage.add_skipped(reader.damaged());
        Ok(())
    }
}
