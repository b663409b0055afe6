//! `feedback completions` and `feedback manual`.

use std::process::Command;

use crate::help::commands;
use crate::outcome::{only_line, succeeded};
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

#[test]
fn the_manual_has_a_page_of_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    assert_eq!(succeeded(&run(&format!("manual {path}"))), "");
    for command in commands() {
        let name = format!("feedback-{}.1", command.replace(' ', "-"));
        let page = std::fs::read_to_string(folder.path().join(&name)).expect(&name);
        assert!(page.contains(".SH OPTIONS"), "{name}: {page}");
    }
    let main = std::fs::read_to_string(folder.path().join("feedback.1")).unwrap();
    assert!(main.contains("feedback\\-serve(1)"), "{main}");
    let line = only_line(&run("manual /does/not/exist"));
    let reason = "cannot write the manual to /does/not/exist";
    assert!(line.contains(reason), "{line}");
}
