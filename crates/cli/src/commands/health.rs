//! `feedback health`: checks that `feedback serve` answers.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::client::{ApiAddress, UNEXPECTED, read_document};

/// How long the service may take to answer.
const LIMIT: Duration = Duration::from_secs(4);

/// The options of the command.
#[derive(clap::Args, Debug)]
pub struct Options {
    #[command(flatten)]
    service: ApiAddress,
}

/// Runs the command. It prints nothing if the service answers.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let client = options.service.client(None)?;
    let answer = async {
        let response = client.get("/health", "").await?;
        let health: Value =
            serde_json::from_str(&read_document(response).await?).context(UNEXPECTED)?;
        let status = health.get("status");
        ensure!(status.is_some_and(|it| it == "ok"), "{UNEXPECTED}");
        Ok(ExitCode::SUCCESS)
    };
    let answer = tokio::time::timeout(LIMIT, answer).await;
    answer.context("the service does not answer within 4 seconds")?
}
