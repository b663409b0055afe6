//! `feedback export`.

use test_support::stub::Recorder;

use crate::outcome::succeeded;
use crate::place::Place;
use crate::process::{at_store, output};

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
