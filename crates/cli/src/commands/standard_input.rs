//! What a command asks of standard input: confirmation in a terminal, and texts that other users of the
//! machine must not see or that hold any character.

use std::io::{BufRead, IsTerminal, Read as _};

use anyhow::{Context, ensure};

/// Asks on the terminal, unless `--yes` has answered; fails with this refusal unless the answer is yes, or if standard
/// input is no terminal.
pub(super) fn confirm(yes: bool, prompt: &str, refusal: &'static str) -> anyhow::Result<()> {
    if yes {
        return Ok(());
    }
    let answer = answer(&format!("{prompt} [y/N] "))?;
    ensure!(answer.eq_ignore_ascii_case("y"), refusal);
    Ok(())
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

/// Reads the whole of standard input, without one line ending at its end. Errors call it `what`.
pub(super) fn read_text(what: &str, max_bytes: usize) -> anyhow::Result<String> {
    let mut input = Vec::new();
    // Leaves room for a line ending of two characters, and for one byte too many to be noticed.
    std::io::stdin()
        .take(max_bytes as u64 + 3)
        .read_to_end(&mut input)
        .with_context(|| format!("cannot read {what}"))?;
    let text = match input.strip_suffix(b"\n") {
        Some(line) => line.strip_suffix(b"\r").unwrap_or(line),
        None => &input,
    };
    ensure!(
        text.len() <= max_bytes,
        "{what} is longer than {max_bytes} bytes"
    );
    let text = std::str::from_utf8(text).with_context(|| format!("{what} is not UTF-8"))?;
    Ok(text.to_owned())
}
