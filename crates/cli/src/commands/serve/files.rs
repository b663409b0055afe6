//! `feedback serve FILE…`: serves the figures of files.

use anyhow::Context as _;
use encoding::NewCredential;
use form_urlencoded::Serializer;
use model::{Credential, Secret, Timestamp};
use server::Server;
use service::App;

use super::api;
use super::options::{FileOptions, Options};
use crate::commands::bind;
use crate::commands::credentials::random_secret;
use crate::commands::temporary::LoadedFiles;
use crate::page::Settings;

/// Imports the files and serves the API over them. Says what came in, and where the page is.
pub(super) async fn start(options: &Options, now: Timestamp) -> anyhow::Result<Server> {
    let FileOptions {
        files,
        project,
        timezone,
        reading,
    } = &options.files;
    // Bound before anything is read.
    let api = bind("--listen", &options.listen).await?;
    let loaded = LoadedFiles::new(files, project.as_ref(), reading, timezone.as_ref()).await?;
    let read_key = add_read_key(&loaded, now).await?;
    let app = App {
        private_traits: options.private_traits.clone().unwrap_or_default(),
        ..App::new(loaded.store.reader())
    };
    let settings = Settings {
        documentation: Some("/docs/"),
        ..Settings::default()
    };
    let service = api.serve(api::router(app, settings));
    let mut query = Serializer::new(String::new());
    query.append_pair("project", loaded.project.as_str());
    if let Some(zone) = timezone {
        query.append_pair("timezone", &zone.to_string());
    }
    let (address, query) = (service.address(), query.finish());
    eprintln!("{}", loaded.counts());
    // What follows the # is not sent, so no log of a proxy has it.
    eprintln!("Open http://{address}/?{query}#key={read_key}");
    eprintln!("The records are in a temporary folder, deleted when this ends\n");
    Ok(service)
}

/// Adds a fresh Read Key of the files' project, and returns it.
async fn add_read_key(loaded: &LoadedFiles, created: Timestamp) -> anyhow::Result<String> {
    let text = random_secret()?;
    let read_key = NewCredential {
        secret: &Secret::new(text.clone()).context("the secret is empty")?,
        credential: &Credential::ReadKey(loaded.project.clone()),
        label: None,
        created,
    };
    let added = loaded.store.add_credential(&read_key).await;
    added.context("cannot write the Read Key")?;
    Ok(text)
}
