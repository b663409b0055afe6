//! Imports of arbitrary files. They are checked and not written.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use clap::Parser;
use feedback::commands::import::Command;
use intake::{Origin, Reason, Receiver, Record, Records, read_all};

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
    /// For each header of rejected records, what a file of them has: JSON has an empty one.
    pub rejects: Vec<(Vec<u8>, Vec<u8>)>,
}

/// Imports a file of this content with these arguments (`users`, `responses --string-traits`, …).
/// Returns the reason if the file cannot be read to its end.
pub fn import(arguments: &[&str], content: &[u8]) -> Result<Import, String> {
    let input = std::env::temp_dir().join(format!("{}-input", std::process::id()));
    std::fs::write(&input, content).expect("the temporary folder can be written to");
    let words = ["import"].into_iter().chain(arguments.iter().copied());
    let words = words.chain(["--project", "p", "-"]);
    let Command::Records(command) = CommandLine::parse_from(words).command else {
        panic!("credentials are no records");
    };
    let rules = command.rules();
    rules.check().expect("the options are valid");
    let received = Rc::new(RefCell::new(Import::default()));
    let records = Records::new(Arc::new(rules), Box::new(Received(received.clone())), true);
    let (_, read) = read_all(&[input], |file| Box::new(file), records);
    read.map(|()| received.take()).map_err(|error| format!("{error:#}"))
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
        let place = rejects.iter().position(|(known, _)| *known == *header);
        let place = place.unwrap_or_else(|| {
            let begin = if header.is_empty() { Vec::new() } else { [&*header, b"\n"].concat() };
            rejects.push((header.into_owned(), begin));
            rejects.len() - 1
        });
        rejects[place].1.extend([&*text, b"\n"].concat());
        Ok(())
    }

    fn note(&mut self, _: &str) {}

    fn end_of_file(&mut self) -> anyhow::Result<()> {
        Ok(())
    }
}
