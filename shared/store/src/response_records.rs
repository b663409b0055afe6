//! Reads the response records of a project.

use std::collections::BTreeSet;

use items::{
    ItemDetail, ItemSelection, Json, Partition, ResponseItem, ResponseReader, Scalar, Shard,
};
use model::Timestamp;

use crate::error::Error;
use crate::query_page::{Attributes, FetchedPage, KeyRange, PageRead};
use crate::{Store, Usage};

/// A page of response records that is still to be decoded.
#[derive(Debug)]
pub struct ResponsePage {
    page: FetchedPage,
    selection: ItemSelection,
}

impl Store {
    /// Queries the records of a shard after this range key, in the index of outcomes if there is one and it
    /// has all that is selected. Eventually consistent.
    pub async fn responses(
        &self,
        selection: &ItemSelection,
        shard: Shard,
        after: Option<String>,
    ) -> Result<ResponsePage, Error> {
        let period = &selection.period;
        let read = PageRead {
            range: KeyRange::of_responses(Some(period.start), Some(period.end)),
            after,
            attributes: attributes(selection),
            ..PageRead::of(Partition::of_responses(&selection.project, shard))
        };
        Ok(ResponsePage {
            page: FetchedPage::fetch(self.0.clone(), read).await?,
            selection: selection.clone(),
        })
    }

    /// Queries the first record of a shard, whatever is selected of it, where [`Store::responses`] reads the
    /// others. Eventually consistent.
    pub async fn first_response(
        &self,
        selection: &ItemSelection,
        shard: Shard,
    ) -> Result<FirstRecord, Error> {
        let mut attributes = attributes(selection);
        if let Attributes::Outcome { others, .. } = &mut attributes
            && !others.contains(&"at")
        {
            others.push("at");
        }
        let read = PageRead {
            limit: Some(1),
            attributes,
            ..PageRead::of(Partition::of_responses(&selection.project, shard))
        };
        Ok(FirstRecord(FetchedPage::fetch(self.0.clone(), read).await?))
    }
}

/// A page of the first record of a shard, if it has records.
#[derive(Debug)]
pub struct FirstRecord(FetchedPage);

impl FirstRecord {
    /// Returns when the record was created, unless there is none, or its key does not say so.
    pub fn read(self, usage: &Usage) -> Result<Option<Timestamp>, Error> {
        let mut created = None;
        let item = |json: &mut Json<'_>| {
            json.object(|json, name| {
                if name != "at" {
                    return json.skip_typed();
                }
                if let Scalar::String(at) = Scalar::read(json)? {
                    let (instant, _) = at.split_once('#').unwrap_or((&at, ""));
                    created = instant.parse().ok();
                }
                Some(())
            })
        };
        self.0.read(item, usage)?;
        Ok(created)
    }
}

/// Returns what is needed of each record.
fn attributes(selection: &ItemSelection) -> Attributes {
    let ItemSelection {
        filters, segments, ..
    } = selection;
    let others: &[_] = match selection.detail {
        ItemDetail::Respondent => &["at", "userId"],
        ItemDetail::Traits => &["traits"],
        // Without intervals, the outcome is enough.
        ItemDetail::Outcome if segments.edges.is_empty() => &[],
        ItemDetail::Outcome => &["at"],
    };
    let filtered = filters.iter().map(|filtered| filtered.name.as_str());
    let grouped = segments
        .group_by
        .as_ref()
        .map(|group_by| group_by.name.as_str());
    let traits = match selection.detail {
        ItemDetail::Traits => BTreeSet::new(),
        _ => filtered.chain(grouped).map(str::to_owned).collect(),
    };
    Attributes::Outcome {
        others: others.to_vec(),
        traits,
    }
}

impl ResponsePage {
    /// Calls `visit` with each record of the page that passes the filters. Skips records that cannot be
    /// decoded. Returns the range key after which the next page begins; `None` on the last page.
    pub fn read(
        self,
        usage: &Usage,
        visit: &mut dyn FnMut(ResponseItem<'_>),
    ) -> Result<Option<String>, Error> {
        let mut reader = ResponseReader::new(&self.selection, visit);
        let item = |json: &mut Json<'_>| reader.read_item(json);
        let last_key = self.page.read(item, usage)?;
        usage.add(|totals| totals.skipped += reader.damaged);
        Ok(last_key)
    }
}
