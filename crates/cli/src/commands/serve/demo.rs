//! The demo project: the sample data, and credentials that everyone knows.

use anyhow::{Context, ensure};
use auth::{Credential, Digest, Permission, Secret};
use items::{ResponseRecord, Table};
use model::{ProjectId, Timestamp};
use tables::{Added, Tables};

use super::sample_data::Sample;
use crate::commands::credentials::new_credential;
use crate::page::Demo;

pub(super) const PROJECT: &str = "demo";
pub(super) const READ_KEY: &str = "demo-read-key-0000";
/// The username of the credential that may read its users.
pub(super) const USERNAME: &str = "demo";
/// That credential's secret.
pub(super) const PASSWORD: &str = "demo-password-0000";

/// What the dashboard knows of the project.
pub(super) fn suggestion() -> Demo {
    Demo {
        read_key: READ_KEY,
        group: "plan",
    }
}

/// Writes the demo project, with the sample data until yesterday, as far as an earlier start has not.
pub(super) async fn load(store: &Tables, now: Timestamp) -> anyhow::Result<()> {
    let project: ProjectId = PROJECT.parse()?;
    let sample = Sample::new(&project, now)?;
    let records = sample.records.iter().map(ResponseRecord::item);
    let responses = records.collect::<Result<Vec<_>, _>>()?;
    let facts = sample.users.values().map(|facts| facts.item(&project));
    let users = facts.collect::<Result<Vec<_>, _>>()?;
    let write = async {
        add_credentials(store, &project, now).await?;
        for (table, items) in [(Table::Responses, responses), (Table::Users, users)] {
            let numbered = items.into_iter().enumerate();
            store.import(table, numbered.collect()).await?;
        }
        anyhow::Ok(())
    };
    write.await.context("cannot write the demo project")
}

/// Returns those digests of the demo's secrets, which everyone knows, that the store accepts.
pub(super) async fn published_credentials(store: &Tables) -> anyhow::Result<Vec<Digest>> {
    let mut published = Vec::new();
    for secret in [READ_KEY, PASSWORD].into_iter().filter_map(Secret::new) {
        let digest = secret.digest();
        let found = store.credential(&digest).await;
        if found.context("cannot read the credentials")?.is_some() {
            published.push(digest);
        }
    }
    Ok(published)
}

async fn add_credentials(
    store: &Tables,
    project: &ProjectId,
    created: Timestamp,
) -> anyhow::Result<()> {
    let of = |secret, may: Permission, username| {
        let credential = Credential::new([project.clone()].into(), [may].into(), username)?;
        new_credential(secret, credential, Some("demo".to_owned()), created)
    };
    let credentials = [
        of(READ_KEY, Permission::Statistics, None)?,
        of(PASSWORD, Permission::Users, Some(USERNAME.parse()?))?,
    ];
    let added = store.add_credentials(&credentials).await?;
    for (new, added) in credentials.iter().zip(added) {
        let is_there = match added {
            Added::New => true,
            Added::Exists(stored) => stored.credential == new.credential,
            Added::Damaged => false,
        };
        ensure!(
            is_there,
            "its credentials may read something else by now: revoke them"
        );
    }
    Ok(())
}
