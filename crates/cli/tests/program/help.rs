//! The help, the version, and the list of all commands.

use std::collections::BTreeSet;

use crate::outcome::succeeded;
use crate::process::{feedback, run};
use crate::pty::in_terminal;

/// Returns the help of a command, and the names of its subcommands.
fn help(command: &str) -> (String, Vec<String>) {
    let help = succeeded(&run(&format!("{command} --help")));
    let listed = help.split("Commands:\n").nth(1).unwrap_or_default();
    // What is indented further continues a line.
    let names = listed.lines().take_while(|line| !line.is_empty());
    let names = names.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names = names.filter(|name| !["", "help"].contains(name));
    let names = names.map(str::to_owned).collect();
    (help, names)
}

/// Returns the help of every command and group of commands, and whether it is a group.
fn all_help() -> Vec<(String, String, bool)> {
    let mut pending = vec![String::new()];
    let mut found = Vec::new();
    while let Some(command) = pending.pop() {
        let (help, names) = help(&command);
        let of_group = names.iter().map(|name| format!("{command} {name}"));
        pending.extend(of_group.map(|command| command.trim_start().to_owned()));
        found.push((command, help, !names.is_empty()));
    }
    found
}

/// Returns all commands that do something, such as `import users`.
pub(crate) fn commands() -> BTreeSet<String> {
    let commands = all_help().into_iter().filter(|(_, _, is_group)| !is_group);
    commands.map(|(command, _, _)| command).collect()
}

#[test]
fn the_help_of_every_command_has_examples_of_it_and_of_no_other() {
    for (command, help, is_group) in all_help() {
        let own = format!("feedback {command}");
        let (_, examples) = help.split_once("Example").unwrap_or_default();
        let has_example = examples.contains(own.trim());
        assert!(is_group || has_example, "{command}: {help}");
        // A terminal of 80 columns would break longer ones, which cannot be pasted then.
        for line in examples.lines().filter(|line| line.starts_with("  ")) {
            assert!(is_group || line.chars().count() <= 78, "{command}: {line}");
        }
        let help = help.replace("\\\n", "");
        let (_, examples) = help.split_once("Examples:\n").unwrap_or_default();
        for example in examples.lines().take_while(|line| !line.is_empty()) {
            assert!(example.contains(own.trim_end()), "{command}: {example}");
        }
    }
    assert!(commands().contains("credentials create"));
}

#[test]
fn help_is_wrapped_to_the_terminal_never_inside_a_word_and_to_a_hundred_columns_at_most() {
    for (width, most) in [(60, 60), (80, 80), (200, 100)] {
        for command in ["stats", "import responses"] {
            let line = format!("{command} --help");
            let help = in_terminal(&mut feedback(&line), width);
            assert!(help.contains("Examples:\n"), "{help}");
            for line in help.lines().filter(|line| !line.starts_with("Usage: ")) {
                assert!(line.chars().count() <= most, "{width}: {line}");
            }
            let whole = succeeded(&run(&line));
            let words = help.split_whitespace();
            assert!(words.eq(whole.split_whitespace()), "{help}");
        }
    }
}
