//! Finds what the API does not read of stored items, or reads as something else.

use std::collections::BTreeMap;

use items::{Finding, ItemMembers, Partition, Table, response_findings, user_findings};
use model::ProjectId;
use serde::Serialize;
use store::{Error, KeyRange, Projection};

use super::export::next_page;
use super::{Tables, damaged};

/// What was found in the items of a table.
#[derive(Debug, Default, Serialize)]
pub struct CheckedItems {
    pub items: u64,
    pub found: BTreeMap<Finding, Found>,
}

/// The items of a finding.
#[derive(Debug, Default, Serialize)]
pub struct Found {
    pub items: u64,
    /// The keys of a few of them: the hash key, then the range key if the table has one.
    pub examples: Vec<Key>,
}

type Key = Vec<String>;

impl CheckedItems {
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
    let findings = match table {
        Table::Responses => response_findings(&item),
        Table::Users => user_findings(&item),
        Table::Credentials => auth::findings(json),
    };
    Some((findings, key.collect()))
}

impl Tables {
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
    ) -> Result<CheckedItems, Error> {
        let mut checked = CheckedItems::default();
        let partitions = match (table, project) {
            (Table::Responses, Some(_)) => self.writer.shards(project).await?,
            (Table::Users, Some(project)) => vec![Partition::of_users(project)],
            (Table::Credentials, _) | (_, None) => {
                let mut add = |items: Vec<String>| {
                    let page: Option<_> = items.iter().map(|item| read(table, item)).collect();
                    checked.add(page.ok_or_else(damaged)?);
                    progress(checked.items);
                    Ok(())
                };
                self.writer.all(table, &mut add).await?;
                return Ok(checked);
            }
        };
        for partition in partitions {
            let mut pages = self.reader.items(partition, KeyRange::All, Projection::All);
            while let Some(page) = next_page(&mut pages, |json| read(table, json)).await? {
                checked.add(page);
                progress(checked.items);
            }
        }
        Ok(checked)
    }
}
