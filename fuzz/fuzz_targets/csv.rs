#![no_main]
//! Checks that an import of an arbitrary table loses no row: the files of rejected rows, imported again, have as many.

use fuzz::{import, rules};
use libfuzzer_sys::fuzz_target;

/// The first byte selects the options.
const OPTIONS: [&[&str]; 6] = [
    &["responses"],
    &["users"],
    &["responses", "--string-traits", "--null", "-"],
    &["users", "--string-traits=plan", "--delimiter", ";"],
    &["responses", "--no-users", "--id-from", "userId,created"],
    &[
        "responses",
        "--map",
        "created=Date",
        "--map",
        "traits.plan=Plan",
        "--date-format",
        "%m/%d/%Y %H:%M",
        "--timezone",
        "America/New_York",
    ],
];

fuzz_target!(|bytes: &[u8]| {
    let Some((option, table)) = bytes.split_first() else {
        return;
    };
    let options = OPTIONS[usize::from(*option) % OPTIONS.len()];
    let Ok(imported) = import(rules(options), table) else {
        return;
    };
    let mut rows = 0;
    for (_, rejects) in &imported.rejects {
        // A few rows may look like something else than many.
        match import(rules(options), rejects) {
            Ok(again) if !again.has_long_header => rows += again.accepted + again.rejected,
            _ => return,
        }
    }
    assert_eq!(rows, imported.rejected);
});
