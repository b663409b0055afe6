//! `feedback health`: checks that `feedback serve` answers.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::client::{ApiAddress, UNEXPECTED, read_document};

/// How long the service may take to answer.
const LIMIT: Duration = Duration::from_secs(4);

#[derive(clap::Args, Debug)]
pub struct Options {
    #[command(flatten)]
    service: ApiAddress,
}

/// Runs the command. It prints nothing if the service answers.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let client = options.service.client(None)?;
    let answer = async {
        let response = client.send(client.request("/health", "")).await?;
        let status = response.status();
        let health: Value =
            serde_json::from_str(&read_document(response).await?).unwrap_or_default();
        let says = |member, text| health.get(member).is_some_and(|it| it == text);
        ensure!(
            !says("reason", "tables"),
            "the service cannot read its tables; its log says why"
        );
        ensure!(status.is_success(), "the service returned {status}");
        ensure!(says("status", "ok"), "{UNEXPECTED}");
        Ok(ExitCode::SUCCESS)
    };
    let answer = tokio::time::timeout(LIMIT, answer).await;
    answer.context("the service does not answer within 4 seconds")?
}
