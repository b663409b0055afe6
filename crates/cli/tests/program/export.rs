//! `feedback export`.

use test_support::stub::Recorder;

use crate::http::sending;
use crate::outcome::succeeded;
use crate::place::Place;
use crate::process::{at_store, output, output_of, send_signal, wait_for};

#[test]
fn exports_read_with_strong_consistency() {
    let place = Place::new();
    for (kind, queries) in [("users", 1), ("responses", 16)] {
        let store = Recorder::answering(r#"{"Items":[]}"#);
        let mut export = place.command(&format!("export {kind} --project acme"));
        succeeded(&output(at_store(&mut export, store.url())));
        let inputs = store.inputs_of("Query");
        assert_eq!(inputs.len(), queries, "{inputs:?}");
        for input in inputs {
            assert_eq!(input["ConsistentRead"], true, "{input}");
        }
    }
}

#[test]
fn an_export_that_is_interrupted_leaves_no_file() {
    let place = Place::new();
    for (what, signal) in [("users --project acme", "INT"), ("credentials", "TERM")] {
        let mut export = place.command(&format!("export {what} --output file"));
        let export = at_store(&mut export, &sending("", false)).spawn().unwrap();
        wait_for("file", || (!place.names().is_empty()).then_some(()));
        send_signal(export.id(), signal);
        assert_eq!(output_of(export).status.code(), Some(130), "{what}");
        assert_eq!(place.names().len(), 0, "{what}");
    }
}
