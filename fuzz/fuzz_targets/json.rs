#![no_main]
//! Checks that an import of arbitrary JSON loses no record: an array has as many records as elements,
//! and the same records on a line each have the same fate.

use fuzz::{Refusal, import, rules};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use serde_json::value::RawValue;

/// The first byte selects the options.
const OPTIONS: [&[&str]; 4] = [
    &["responses"],
    &["users"],
    &[
        "responses",
        "--no-users",
        "--id-from",
        "user.userId,created",
    ],
    &[
        "responses",
        "--map",
        "rating=answers.q",
        "--keep",
        "campaign,location.country",
    ],
];

fuzz_target!(|bytes: &[u8]| {
    let Some((option, json)) = bytes.split_first() else {
        return;
    };
    let options = OPTIONS[usize::from(*option) % OPTIONS.len()];
    let imported = import(rules(options), json);
    let Ok(elements) = serde_json::from_slice::<Vec<&RawValue>>(json) else {
        return;
    };
    let elements: Vec<_> = elements.iter().map(|element| element.get()).collect();
    // An array within may be one of records, too.
    let may_be_other = |element: &&str| element.starts_with('[') || may_be_document(element);
    if elements.iter().any(may_be_other) {
        return;
    }
    let imported = match imported {
        Ok(imported) => imported,
        Err(Refusal::Undecided(_)) => return,
        Err(Refusal::Unreadable(reason)) => {
            let refusals = [
                "these look like",
                "no record at its beginning has",
                "has words, such as",
            ];
            let is_refused = refusals.iter().any(|refusal| reason.contains(refusal));
            assert!(is_refused, "an array can be read to its end: {reason}");
            return;
        }
    };
    assert_eq!(imported.accepted + imported.rejected, elements.len() as u64);
    if elements.iter().all(|element| element.starts_with('{')) {
        let lines: Vec<_> = elements
            .iter()
            .map(|text| text.replace(['\n', '\r'], " "))
            .collect();
        let again = import(rules(options), lines.join("\n").as_bytes());
        assert_eq!(again.expect("every line is an object"), imported);
    }
});

/// Returns whether the text is an object that may be taken for a document with a list of records.
fn may_be_document(text: &str) -> bool {
    let object = serde_json::from_str(text);
    object.is_ok_and(|object: serde_json::Map<String, Value>| {
        ["users", "responses", "data"]
            .iter()
            .any(|list| object.contains_key(*list))
    })
}
