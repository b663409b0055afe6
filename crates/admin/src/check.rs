//! Finds what the API does not read of stored items, or reads as something else.

use std::collections::BTreeMap;

use encoding::{Finding, ItemMembers, findings};
use model::ProjectId;
use model::items::{PagedTable, Partition, Table};
use serde::Serialize;
use store::{Attributes, Error};

use super::admin_store::{AdminStore, Backend};
use super::export::next_page;
use super::item::damaged;

/// What was found in the items of a table.
#[derive(Debug, Default, Serialize)]
pub struct Checked {
    /// The number of items.
    pub items: u64,
    /// The items of each finding.
    pub found: BTreeMap<Finding, Found>,
}

/// The items of a finding.
#[derive(Debug, Default, Serialize)]
pub struct Found {
    /// Their number.
    pub items: u64,
    /// The keys of a few of them: the hash key, then the range key if the table has one.
    pub examples: Vec<Key>,
}

type Key = Vec<String>;

impl Checked {
    fn add(&mut self, page: Vec<(Vec<Finding>, Key)>) {
        const EXAMPLES: usize = 3;
        self.items += page.len() as u64;
        for (findings, key) in page {
            for finding in findings {
                let found = self.found.entry(finding).or_default();
                found.items += 1;
                if found.examples.len() < EXAMPLES {
                    found.examples.push(key.clone());
                }
            }
        }
    }
}

/// Reads the findings and the key of an item; returns `None` if it is none.
fn read(table: Table, json: &str) -> Option<(Vec<Finding>, Key)> {
    let item = ItemMembers::of_item(json)?;
    let (hash, range) = table.key_names();
    let names = [hash].into_iter().chain(range);
    let key = names.filter_map(|name| Some(item.string(name)?.into_owned()));
    Some((findings(table, &item), key.collect()))
}

impl AdminStore {
    /// Checks the items of a table, or those of a project in the users or the responses. In DynamoDB, those of
    /// a project are what requests query; otherwise, those in shards that nothing reads are checked, too.
    /// Calls `progress` with the number of items so far.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn check(
        &self,
        table: Table,
        project: Option<&ProjectId>,
        progress: impl Fn(u64),
    ) -> Result<Checked, Error> {
        let mut checked = Checked::default();
        let mut add = |items: Vec<String>| {
            let page: Option<_> = items.iter().map(|item| read(table, item)).collect();
            checked.add(page.ok_or_else(damaged)?);
            progress(checked.items);
            Ok(())
        };
        let partitions = match (&self.backend, table, project) {
            (_, Table::Responses, Some(project)) => self.shards(project).await?,
            (_, Table::Users, Some(project)) => vec![Partition::of_users(project)],
            (Backend::DynamoDb(tables), ..) => {
                tables.scan(table, add).await?;
                return Ok(checked);
            }
            (Backend::Folder(folder), Table::Users, None) => {
                folder.partitions(PagedTable::Users, String::new()).await?
            }
            (Backend::Folder(folder), Table::Responses, None) => {
                folder
                    .partitions(PagedTable::Responses, String::new())
                    .await?
            }
            (Backend::Folder(folder), Table::Credentials, _) => {
                add(folder.credentials().await?)?;
                return Ok(checked);
            }
        };
        for partition in partitions {
            let mut pages = self.reader.items(partition, Attributes::All);
            while let Some(page) = next_page(&mut pages, |json| read(table, json)).await? {
                checked.add(page);
                progress(checked.items);
            }
        }
        Ok(checked)
    }

    /// Returns how many bytes of items a check of all projects scans, as DynamoDB counted them in the last six
    /// hours; `None` if nobody charges for that.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn charged_bytes(&self) -> Result<Option<u64>, Error> {
        let tables = match &self.backend {
            Backend::DynamoDb(tables) if self.is_charged => tables,
            _ => return Ok(None),
        };
        let mut bytes = 0;
        for table in Table::ALL {
            let request = tables.client.describe_table();
            let sent = request.table_name(tables.tables.name(table)).send().await;
            let output = sent.map_err(|error| Error::from_sdk("DescribeTable", &error))?;
            let size = output.table.and_then(|table| table.table_size_bytes);
            bytes += size.unwrap_or_default();
        }
        Ok(u64::try_from(bytes).ok())
    }
}
