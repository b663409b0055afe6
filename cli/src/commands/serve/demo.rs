//! The demo project: real ratings (cli/demo/README.md), and the users who gave them.

use anyhow::Context;
use shared::model::{Account, Credential, Digest, ProjectId, ReadKey, Secret, Timestamp};

use crate::commands::import::{Members, parse_response};
use crate::dashboard::{Demo, Trait};
use crate::store::{AdminStore, NewItem, ResponseItem, UserFacts};

/// The project.
pub(super) const PROJECT: &str = "demo";
/// Its Read Key.
pub(super) const READ_KEY: &str = "demo-read-key-0000";
/// The username of the account that may list its users.
pub(super) const USERNAME: &str = "demo";
/// The account's password.
pub(super) const PASSWORD: &str = "demo-password-0000";

/// Where the dashboard begins: the twelve months that have the most data.
pub(super) fn suggestion() -> Demo {
    Demo {
        project: PROJECT,
        read_key: READ_KEY,
        start: "2014-08-01",
        end: "2015-08-01",
        group: "cabin",
        traits: &TRAITS,
    }
}

const TRAITS: [Trait; 7] = [
    string("aircraft"),
    string("airline"),
    string("cabin"),
    string("country"),
    string("layout"),
    Trait {
        name: "legroom",
        kind: "number",
    },
    Trait {
        name: "recommended",
        kind: "boolean",
    },
];

const fn string(name: &'static str) -> Trait {
    Trait {
        name,
        kind: "string",
    }
}

const DATA: &str = include_str!("../../../demo/seat-reviews.ndjson");

/// Writes the demo project, replacing what an earlier start wrote.
pub(super) async fn load(store: &AdminStore) -> anyhow::Result<()> {
    let project: ProjectId = PROJECT.parse()?;
    let Data { items, users } = data(&project).context("the demo data is damaged")?;
    let write = async {
        store.put_all(items).await?;
        store.import_users(&project, users).await
    };
    write.await.context("cannot write the demo project")?;
    Ok(())
}

/// Returns those digests of the demo's secrets, which everyone knows, that the store accepts.
pub(super) async fn published_credentials(store: &AdminStore) -> anyhow::Result<Vec<Digest>> {
    let secrets = [READ_KEY, PASSWORD].into_iter().filter_map(Secret::new);
    let mut digests: Vec<_> = secrets.map(|secret| secret.digest()).collect();
    let existing = store.existing_digests(digests.iter().map(Digest::to_string));
    let existing = existing.await.context("cannot read the credentials")?;
    digests.retain(|digest| existing.contains(&digest.to_string()));
    Ok(digests)
}

/// What the project consists of.
struct Data {
    /// The credentials and responses.
    items: Vec<NewItem>,
    /// What each response says of its user, with its position.
    users: Vec<(usize, UserFacts)>,
}

fn data(project: &ProjectId) -> anyhow::Result<Data> {
    let mut items = credentials(project).context("no credentials")?;
    let mut users = Vec::new();
    for line in DATA.lines() {
        let parsed = Members::parse(line)
            .and_then(|record| parse_response(record, project, None, None))
            .map_err(anyhow::Error::msg)?;
        users.extend(parsed.user.map(|facts| (items.len(), facts)));
        items.push(ResponseItem::new(&parsed.record)?.into());
    }
    Ok(Data { items, users })
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
