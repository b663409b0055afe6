//! The DynamoDB address: what SDKs and the AWS CLI send is answered as by the server of dynoxide, and
//! anything else is refused.
//!
//! The same requests are sent to both servers. The messages of errors may have other words.

mod comparison;
mod corpus;
mod figures;
mod malformed;
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
        let compared =
            comparison::recorded(&entry, &theirs).and_then(|()| comparison::equal(&ours, &theirs));
        if let Err(difference) = compared {
            failures.push(format!("line {}: {difference}\n{line:.600}", number + 1));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

macro_rules! corpora {
    ($($name:ident: $file:literal,)*) => {
        const CORPORA: &[&str] = &[$(include_str!(concat!("requests/", $file))),*];

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
}
