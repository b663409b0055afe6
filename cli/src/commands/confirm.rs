//! Asks for confirmation.

use std::io::{BufRead, IsTerminal};

use anyhow::{Context, ensure};

/// Asks the question on the terminal; fails if standard input is not one.
pub(super) fn confirmed(question: &str) -> anyhow::Result<bool> {
    let stdin = std::io::stdin();
    ensure!(
        stdin.is_terminal(),
        "standard input is not a terminal; pass --yes to confirm; nothing was changed"
    );
    eprint!("{question} [y/N] ");
    let mut answer = String::new();
    stdin
        .lock()
        .read_line(&mut answer)
        .context("cannot read the answer")?;
    Ok(answer.trim().eq_ignore_ascii_case("y"))
}
