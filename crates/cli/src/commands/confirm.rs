//! Asks for confirmation.

use std::io::{BufRead, IsTerminal};

use anyhow::{Context, ensure};

/// Asks on the terminal; fails if standard input is not one.
pub(super) fn confirmed(prompt: &str) -> anyhow::Result<bool> {
    Ok(answer(&format!("{prompt} [y/N] "))?.eq_ignore_ascii_case("y"))
}

/// Asks on the terminal to type the word, so that it cannot be confirmed by reflex; fails if standard
/// input is not one.
pub(super) fn typed(warning: &str, word: &str) -> anyhow::Result<bool> {
    Ok(answer(&format!("{warning} Type {word} to confirm: "))? == word)
}

fn answer(prompt: &str) -> anyhow::Result<String> {
    let stdin = std::io::stdin();
    ensure!(
        stdin.is_terminal(),
        "standard input is not a terminal; pass --yes to confirm; nothing was changed"
    );
    eprint!("{prompt}");
    let mut answer = String::new();
    stdin
        .lock()
        .read_line(&mut answer)
        .context("cannot read the answer")?;
    Ok(answer.trim().to_owned())
}
