//! The demo project: real ratings (cli/demo/README.md), and the users who gave them.

use anyhow::Context;
use records::{Fields, Kind, Members, Questions, Rules, parse_response};
use shared::items::{NewCredential, ResponseItem, UserItem};
use shared::model::{Account, Credential, Digest, ProjectId, ReadKey, Secret, Timestamp};
use tables::AdminStore;

use crate::dashboard::Demo;

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
    }
}

const DATA: &str = include_str!("../../../demo/seat-reviews.ndjson");

/// Writes the demo project, as far as an earlier start has not.
pub(super) async fn load(store: &AdminStore) -> anyhow::Result<()> {
    let project: ProjectId = PROJECT.parse()?;
    let Data { responses, users } = data(&project).context("the demo data is damaged")?;
    let write = async {
        add_credentials(store, &project).await?;
        store.import_responses(responses).await?;
        store.import_users(users).await?;
        anyhow::Ok(())
    };
    write.await.context("cannot write the demo project")
}

/// Returns those digests of the demo's secrets, which everyone knows, that the store accepts.
pub(super) async fn published_credentials(store: &AdminStore) -> anyhow::Result<Vec<Digest>> {
    let mut published = Vec::new();
    for secret in [READ_KEY, PASSWORD].into_iter().filter_map(Secret::new) {
        let digest = secret.digest();
        let is_accepted = store.has_credential(&digest).await;
        if is_accepted.context("cannot read the credentials")? {
            published.push(digest);
        }
    }
    Ok(published)
}

/// The records of the project, with their positions.
#[derive(Default)]
struct Data {
    responses: Vec<(usize, ResponseItem)>,
    /// What each response says of its user.
    users: Vec<(usize, UserItem)>,
}

fn data(project: &ProjectId) -> anyhow::Result<Data> {
    let rules = Rules::new(Kind::Responses, project.clone());
    let (mut data, mut questions) = (Data::default(), Questions::default());
    for (position, line) in DATA.lines().enumerate() {
        let parsed = Members::parse(line)
            .and_then(|record| Fields::new(record, Kind::Responses))
            .and_then(|fields| parse_response(fields, &rules, None, &mut questions))
            .map_err(anyhow::Error::msg)?;
        if let Some(facts) = parsed.user {
            data.users.push((position, UserItem::new(&facts, project)?));
        }
        let response = ResponseItem::new(&parsed.record)?;
        data.responses.push((position, response));
    }
    Ok(data)
}

async fn add_credentials(store: &AdminStore, project: &ProjectId) -> anyhow::Result<()> {
    let read_key = Credential::ReadKey(ReadKey {
        project: project.clone(),
    });
    let account = Credential::Account(Account {
        username: USERNAME.to_owned(),
        projects: vec![project.clone()],
    });
    for (secret, credential) in [(READ_KEY, read_key), (PASSWORD, account)] {
        let secret = Secret::new(secret).context("an empty secret")?;
        let credential = NewCredential {
            secret: &secret,
            credential: &credential,
            label: Some("demo"),
            created: Timestamp::now(),
        };
        store.add_credential(&credential).await?;
    }
    Ok(())
}
