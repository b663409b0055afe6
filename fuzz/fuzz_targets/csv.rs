#![no_main]
//! Checks that an import of an arbitrary table loses no row: the rows that it rejects, imported again
//! from the files that it wrote, are rejected again.

use fuzz::import;
use libfuzzer_sys::fuzz_target;

/// The first byte selects the options.
const OPTIONS: [&[&str]; 6] = [
    &["responses"],
    &["users"],
    &["responses", "--string-traits", "--multiline"],
    &["users", "--string-traits", "--multiline"],
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
    let Ok(imported) = import(options, table) else {
        return;
    };
    let mut rejected = 0;
    for (_, rejects) in &imported.rejects {
        let again = import(options, rejects).expect("the file of rejects can be read");
        assert_eq!(again.accepted, 0);
        rejected += again.rejected;
    }
    assert_eq!(rejected, imported.rejected);
});
