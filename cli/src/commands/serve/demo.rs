//! The demo project: real ratings (cli/demo/README.md), and users derived from them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use shared::model::{
    Account, Credential, ProjectId, ReadKey, Secret, Timestamp, UserFacts, UserId,
};
use shared::store::{NewItem, Store};

use crate::import::{Occurrences, Record};

/// The project.
pub(super) const PROJECT: &str = "demo";
/// Its Read Key.
pub(super) const READ_KEY: &str = "demo-read-key-0000";
/// The account that may list its users.
pub(super) const USERNAME: &str = "demo";
/// The account's password.
pub(super) const PASSWORD: &str = "demo-password-0000";

const DATA: &str = include_str!("../../demo/seat-reviews.ndjson");

/// Writes the demo project, replacing what an earlier start wrote.
pub(super) async fn load(store: &Store) -> Result<(), String> {
    let items = items()
        .map_err(|error| format!("the demo data that this program carries is damaged: {error}"))?;
    store
        .put_all(items)
        .await
        .map_err(|error| format!("the demo project cannot be written: {error}"))
}

type Damage = Box<dyn std::error::Error>;

fn items() -> Result<Vec<NewItem>, Damage> {
    let project: ProjectId = PROJECT.parse()?;
    let mut items = credentials(&project).ok_or("no credentials")?;
    let mut users: BTreeMap<UserId, UserFacts> = BTreeMap::new();
    for line in DATA.lines() {
        let record = Record::response(line, &project, &mut Occurrences::none())?;
        if let Some(response) = &record.response {
            items.push(NewItem::response(response)?);
        }
        if let Some(said) = record.user {
            match users.entry(said.user_id.clone()) {
                Entry::Vacant(unknown) => drop(unknown.insert(said)),
                Entry::Occupied(mut known) => known.get_mut().absorb(said),
            }
        }
    }
    for user in users.values() {
        items.push(NewItem::user(&project, user)?);
    }
    Ok(items)
}

fn credentials(project: &ProjectId) -> Option<Vec<NewItem>> {
    let (label, created) = (Some("demo"), Timestamp::now());
    let read_key = Credential::ReadKey(ReadKey {
        project: project.clone(),
    });
    let account = Credential::Account(Account {
        username: USERNAME.to_owned(),
        projects: vec![project.clone()],
    });
    Some(vec![
        NewItem::credential(&Secret::new(READ_KEY)?, &read_key, label, created),
        NewItem::credential(&Secret::new(PASSWORD)?, &account, label, created),
    ])
}
