#![no_main]
//! Looks at arbitrary bytes, and reads them by the plan that is made of them: the options that an import proposes read
//! the same records as what `stats` takes by itself.

use fuzz::{Refusal, import, rules, words};
use intake::ImportRules;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, content)) = bytes.split_first() else {
        return;
    };
    let kind = ["responses", "users"][usize::from(*kind) % 2];
    let looked_at = import(
        ImportRules {
            guesses: true,
            ..rules(&[kind])
        },
        content,
    );
    let Err(Refusal::Undecided(options)) = import(rules(&[kind]), content) else {
        return;
    };
    // What only the user knows stands for itself in the options.
    let [options] = &*options else {
        return;
    };
    if options.contains('…') || options.contains("--created DATE") {
        return;
    }
    let options = words(options);
    let arguments = [kind].into_iter().chain(options.iter().map(String::as_str));
    let pasted = import(rules(&arguments.collect::<Vec<_>>()), content);
    match (looked_at, pasted) {
        (Ok(looked_at), Ok(pasted)) => {
            let counts = |it: &fuzz::Import| [it.accepted, it.rejected];
            assert_eq!(counts(&looked_at), counts(&pasted));
        }
        (Err(Refusal::Unreadable(_)), Err(Refusal::Unreadable(_))) => {}
        other => panic!("{other:?}"),
    }
});
