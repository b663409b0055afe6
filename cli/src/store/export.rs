//! Reads all records of a project, page by page.

use std::marker::PhantomData;

use aws_sdk_dynamodb::types::AttributeValue;
use shared::model::{ProjectId, Timestamp, shard_key};
use shared::store::{Error, Scalar, decode_outcome};

use super::attributes::{Item, json, parsed, string};
use super::pages::Pages;
use super::{AdminStore, RecordId, ResponseRecord, Traits, UserFacts};

/// The items of a project, page by page, as records of type `T`. The reads are strongly consistent,
/// so the export is complete.
pub(crate) struct ExportPages<T> {
    pages: Pages,
    project: ProjectId,
    record: PhantomData<fn() -> T>,
}

/// A record that can be exported.
pub(crate) trait Exported: Sized {
    /// The attribute that is the range key of the table.
    const RANGE: &'static str;

    /// Decodes an item; returns `None` if it is damaged.
    fn decode(item: &Item, project: &ProjectId) -> Option<Self>;
}

impl AdminStore {
    /// Queries the response records of one shard of the project.
    pub(crate) fn export_responses(
        &self,
        project: &ProjectId,
        shard: u8,
    ) -> ExportPages<ResponseRecord> {
        let hash = shard_key(project, shard);
        self.export(&self.tables.responses, "shard", hash, project)
    }

    /// Queries the users of the project.
    pub(crate) fn export_users(&self, project: &ProjectId) -> ExportPages<UserFacts> {
        self.export(&self.tables.users, "project", project.to_string(), project)
    }

    fn export<T>(
        &self,
        table: &str,
        hash: &str,
        value: String,
        project: &ProjectId,
    ) -> ExportPages<T> {
        ExportPages {
            pages: Pages::of(self.query(table, hash, value)),
            project: project.clone(),
            record: PhantomData,
        }
    }
}

impl<T> ExportPages<T> {
    /// Returns the items of the next page, or `None` after the last page.
    pub(super) async fn next_items(&mut self) -> Result<Option<Vec<Item>>, Error> {
        let page = self.pages.next().await?;
        Ok(page.map(|page| page.items.unwrap_or_default()))
    }
}

impl<T: Exported> ExportPages<T> {
    /// Returns the records of the next page, or `None` after the last page. The `Err` of a record is
    /// the range key of a damaged item.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<Result<T, String>>>, Error> {
        let items = self.next_items().await?;
        let decode = |item: Item| {
            T::decode(&item, &self.project)
                .ok_or_else(|| string(&item, T::RANGE).unwrap_or_default())
        };
        Ok(items.map(|items| items.into_iter().map(decode).collect()))
    }
}

impl Exported for UserFacts {
    const RANGE: &'static str = "userId";

    fn decode(item: &Item, _: &ProjectId) -> Option<Self> {
        Some(Self::from_item(item, parsed(item, Self::RANGE)?))
    }
}

impl Exported for ResponseRecord {
    const RANGE: &'static str = "at";

    fn decode(item: &Item, project: &ProjectId) -> Option<Self> {
        let (created, id) = item.get(Self::RANGE)?.as_s().ok()?.split_once('#')?;
        let created: Timestamp = created.parse().ok()?;
        let id: RecordId = id.parse().ok()?;
        Some(Self {
            project: project.clone(),
            id,
            created,
            outcome: decode_outcome(&scalar(item, "rating"), &scalar(item, "dismissed"))?,
            user_id: parsed(item, "userId"),
            traits: json(item, "traits").and_then(|traits| Traits::from_json(&traits)),
        })
    }
}

fn scalar<'a>(item: &'a Item, name: &str) -> Scalar<'a> {
    match item.get(name) {
        None | Some(AttributeValue::Null(_)) => Scalar::Null,
        Some(AttributeValue::S(text)) => Scalar::String(text.into()),
        Some(AttributeValue::N(digits)) => Scalar::Number(digits.into()),
        Some(AttributeValue::Bool(flag)) => Scalar::Bool(*flag),
        Some(_) => Scalar::Other,
    }
}
