//! `feedback completions`.

use std::process::Command;

use crate::help::commands;
use crate::outcome::succeeded;
use crate::process::run;

#[test]
fn completions_know_every_command_and_are_valid_in_their_shell() {
    for shell in ["bash", "zsh", "fish"] {
        let script = succeeded(&run(&format!("completions {shell}")));
        for command in commands() {
            let last = command.split(' ').next_back().unwrap();
            assert!(script.contains(last), "{shell}: {command}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("feedback.bash");
    std::fs::write(&path, succeeded(&run("completions bash"))).unwrap();
    let checked = Command::new("bash").arg("-n").arg(&path).status();
    assert!(checked.unwrap().success());
}
