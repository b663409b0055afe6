//! Imports of arbitrary files. They are checked and not written.

use std::cell::RefCell;
use std::rc::Rc;

use clap::Parser;
use feedback::commands::import::Command;
use intake::{
    IdComparison, ImportRules, Origin, Reason, Receiver, Record, Records, Undecided, read_all,
};

#[derive(Parser)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

/// What an import did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Import {
    /// The number of accepted records.
    pub accepted: u64,
    /// The number of rejected records.
    pub rejected: u64,
    /// The files of rejected records: what precedes the records, and all of the file.
    pub rejects: Vec<(Vec<u8>, Vec<u8>)>,
    /// Whether rows below the header are taken for a part of it.
    pub has_long_header: bool,
}

/// Why a file is not imported.
#[derive(Debug)]
pub enum Refusal {
    /// The options leave open what it means, and these would decide it.
    Undecided(Vec<String>),
    /// It cannot be read to its end.
    Unreadable(String),
}

/// Returns the rules of these arguments (`users`, `responses --string-traits`, …).
pub fn rules(arguments: &[&str]) -> ImportRules {
    let words = ["import"].into_iter().chain(arguments.iter().copied());
    let words = words.chain(["--project", "p", "-"]);
    let Command::Records(command) = CommandLine::parse_from(words).command else {
        panic!("credentials are no records");
    };
    let rules = command.rules();
    rules.check().expect("the options are valid");
    rules
}

/// Imports a file of this content by these rules.
pub fn import(rules: ImportRules, content: &[u8]) -> Result<Import, Refusal> {
    let input = std::env::temp_dir().join(format!("{}-input", std::process::id()));
    std::fs::write(&input, content).expect("the temporary folder can be written to");
    let received = Rc::new(RefCell::new(Import::default()));
    let records = Records::new(
        rules,
        Box::new(Received(received.clone())),
        IdComparison::All,
    );
    let (_, read) = read_all(&[input], |file| Box::new(file), records);
    read.map(|()| received.take())
        .map_err(|error| match error.downcast_ref::<Undecided>() {
            Some(undecided) => Refusal::Undecided(undecided.options()),
            None => Refusal::Unreadable(format!("{error:#}")),
        })
}

/// Splits a line of options as a shell does.
pub fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    let mut is_escaped = false;
    for c in line.chars() {
        let word = words.last_mut().expect("there is one");
        match c {
            '\\' if !is_quoted && !is_escaped => is_escaped = true,
            '\'' if !is_escaped => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            c => {
                is_escaped = false;
                word.push(c);
            }
        }
    }
    words
}

struct Received(Rc<RefCell<Import>>);

impl Receiver for Received {
    fn record(&mut self, _: Origin, _: Record) -> anyhow::Result<()> {
        self.0.borrow_mut().accepted += 1;
        Ok(())
    }

    fn rejected(&mut self, origin: &Origin, _: &Reason) -> anyhow::Result<()> {
        let mut import = self.0.borrow_mut();
        import.rejected += 1;
        let [text, header] = origin.text_and_header();
        let rejects = &mut import.rejects;
        let place = rejects.iter().position(|(known, _)| *known == header);
        let place = place.unwrap_or_else(|| {
            rejects.push((header.clone(), header));
            rejects.len() - 1
        });
        rejects[place].1.extend(text);
        Ok(())
    }

    fn note(&mut self, line: &str) {
        self.0.borrow_mut().has_long_header |= line.contains("its header goes on");
    }

    fn end_of_file(&mut self) -> anyhow::Result<()> {
        Ok(())
    }
}
