use std::io::{BufRead, IsTerminal};

/// Asks on the terminal, or fails where there is none to ask.
pub(crate) fn confirmed(question: &str) -> Result<bool, String> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Err("say --yes to do it without being asked; nothing is changed".to_owned());
    }
    eprint!("{question} [y/N] ");
    let mut answer = String::new();
    stdin
        .lock()
        .read_line(&mut answer)
        .map_err(|error| format!("there is no answer: {error}"))?;
    Ok(answer.trim().eq_ignore_ascii_case("y"))
}
