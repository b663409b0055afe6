//! The DynamoDB address responds as the server of dynoxide, whose engine it uses: the same requests are
//! sent to both.
//!
//! What differs, beside the entries that say so:
//!
//! - The messages of errors have other words where they are about the form of a request, and a
//!   `SerializationException` of `SearchVectors` has a `Message` instead of a `message`.
//! - Requests of web pages are refused (`tests/dynamodb.rs`); dynoxide allows them to every page.
//! - A body that is not complete after ten seconds is refused; dynoxide waits for it.
//! - An `ExclusiveStartKey` of a wrong type is ignored, as any unknown member, by operations without one.

mod comparison;
mod corpus;
mod items;
mod pages;
mod queries;
mod servers;

use corpus::Entry;
use servers::Servers;

/// Sends the requests of a file in their order, and compares the responses.
async fn conforms(corpus: &str) {
    let mut servers = Servers::start().await;
    let mut failures = Vec::new();
    for (number, line) in corpus.lines().enumerate() {
        let entry = Entry::parse(line);
        let [ours, theirs] = servers.send(&entry).await;
        let compared = comparison::recorded(&entry, &theirs)
            .and_then(|()| comparison::equal(&entry, &ours, &theirs));
        if let Err(difference) = compared {
            failures.push(format!("line {}: {difference}\n{line:.600}", number + 1));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[tokio::test]
async fn values_of_wrong_types_are_refused_as_by_dynoxide() {
    let mut servers = Servers::start().await;
    let mut failures = Vec::new();
    let entries: Vec<_> = include_str!("requests/mutated.jsonl")
        .lines()
        .map(Entry::parse)
        .collect();
    for entry in &entries {
        let [_, theirs] = servers.send(entry).await;
        comparison::recorded(entry, &theirs).unwrap();
    }
    for entry in &entries {
        for mutant in entry.mutants() {
            let [ours, theirs] = servers.send(&mutant).await;
            if let Err(difference) = comparison::equal(&mutant, &ours, &theirs) {
                failures.push(format!("{difference}\n{mutant:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

macro_rules! corpora {
    ($($name:ident: $file:literal,)*) => {
        $(#[tokio::test]
        async fn $name() {
            conforms(include_str!(concat!("requests/", $file))).await;
        })*
    };
}

corpora! {
    tables_are_managed_as_by_dynoxide: "tables.jsonl",
    items_are_read_and_written_as_by_dynoxide: "items.jsonl",
    queries_and_scans_are_answered_as_by_dynoxide: "queries.jsonl",
    batches_and_transactions_run_as_by_dynoxide: "batches.jsonl",
    statements_run_as_by_dynoxide: "statements.jsonl",
    streams_are_read_as_by_dynoxide: "streams.jsonl",
    http_is_spoken_as_by_dynoxide: "wire.jsonl",
    hostile_requests_are_refused_as_by_dynoxide: "hostile.jsonl",
}
