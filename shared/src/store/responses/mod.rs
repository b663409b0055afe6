//! Reads the response records of a project.

mod filter_matches;
mod reader;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::page::{FetchedPage, Pages};
use super::read::{Attributes, KeyRange, PageRead, PagedTable};
use super::{Error, OutcomesIndex, Store};
use crate::model::{
    GroupValue, Outcome, Period, ProjectId, Segments, TraitFilters, Usage, ValueType, shard_key,
};

use reader::ResponseReader;
pub use reader::decode_outcome;

/// The records of one shard over a period, page by page.
#[derive(Debug)]
pub struct ResponsePages {
    pages: Pages,
    selection: RecordSelection,
    usage: Arc<Usage>,
}

/// Which records of a project are read, and what of them. Cloning it is cheap.
#[derive(Debug, Clone)]
pub struct RecordSelection {
    /// When they were created. It must not be empty, because DynamoDB refuses bounds in the wrong order.
    pub period: Period,
    /// All of which they pass.
    pub filters: TraitFilters,
    /// How they are divided.
    pub segments: Segments,
    /// What is needed beyond that.
    pub detail: RecordDetail,
}

/// What is needed of each record beyond its outcome, its interval and its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordDetail {
    /// Nothing.
    Outcome,
    /// Who responded, and when.
    Respondent,
    /// The names and types of the traits.
    Traits,
}

/// A page of response records that is still to be decoded.
pub struct ResponsePage<'a> {
    page: FetchedPage<'a>,
    selection: &'a RecordSelection,
    usage: &'a Usage,
}

/// A record that passes the filters, borrowed from the page.
#[derive(Debug)]
pub struct ResponseRow<'a> {
    /// What became of the display.
    pub outcome: Outcome,
    /// The index of its interval; 0 without intervals.
    pub interval: usize,
    /// Its group; null without a trait to group by.
    pub group: GroupValue<'a>,
    /// With [`RecordDetail::Respondent`]: the `userId`, unless it is absent or none.
    pub user_id: Option<&'a str>,
    /// The sort key, which begins with the creation. Within a shard, keys arrive in ascending order. Empty
    /// if there is only one interval and [`RecordDetail::Respondent`] is not requested.
    pub at: &'a str,
    /// With [`RecordDetail::Traits`]: those that a filter can name and that are not null.
    pub traits: &'a [(Cow<'a, str>, ValueType)],
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
            table: PagedTable::Responses,
            hash: shard_key(project, shard),
            range: KeyRange::Between([period.start().to_string(), last_key(period)]),
            after: None,
            limit: None,
            attributes: selection.attributes(),
            index: None,
        });
        ResponsePages {
            pages,
            selection,
            usage,
        }
    }
}

impl RecordSelection {
    fn attributes(&self) -> Attributes {
        let Self {
            filters, segments, ..
        } = self;
        let others: &[_] = match self.detail {
            RecordDetail::Respondent => &["at", "userId"],
            // Without intervals.
            RecordDetail::Traits => &["traits"],
            RecordDetail::Outcome if segments.edges().is_empty() => &[],
            RecordDetail::Outcome => &["at"],
        };
        let filtered = filters.iter().map(|filtered| filtered.name.as_str());
        let grouped = segments.group_by().map(|group_by| group_by.name.as_str());
        let traits = match self.detail {
            RecordDetail::Traits => BTreeSet::new(),
            _ => filtered.chain(grouped).map(str::to_owned).collect(),
        };
        Attributes::Outcome {
            others: others.to_vec(),
            traits,
        }
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
