//! The functions cannot write: their programs contain no write operation.

use std::io::BufRead;
use std::path::Path;

use crate::support::{STATISTICS_PROGRAM, USERS_PROGRAM};

/// Returns what follows `DynamoDB_20120810.` wherever a program contains it. The SDK has such a text
/// for each operation, which it sends as `X-Amz-Target`; the linker drops those of unused operations.
fn operations(program: impl AsRef<Path>) -> Vec<String> {
    // Without the dot, so that this program contains none of the texts on its own account.
    let mut target = b"DynamoDB_20120810".to_vec();
    target.push(b'.');
    let bytes = std::fs::read(program).unwrap();
    let mut rest = &bytes[..];
    let mut read = Vec::new();
    let mut operations = Vec::new();
    while rest.read_until(b'.', &mut read).unwrap() > 0 {
        if read.ends_with(&target) {
            // The next text may follow without a gap.
            let name = rest.iter().take_while(|byte| byte.is_ascii_alphabetic());
            operations.push(name.map(|byte| char::from(*byte)).collect());
        }
        read.clear();
    }
    operations
}

fn contains(operations: &[String], name: &str) -> bool {
    operations.iter().any(|found| found.starts_with(name))
}

#[test]
fn a_functions_program_contains_no_write_operation() {
    for program in [USERS_PROGRAM, STATISTICS_PROGRAM] {
        let operations = operations(program);
        for name in ["Query", "GetItem"] {
            assert!(contains(&operations, name), "{name}: {operations:?}");
        }
        let mut others = operations.iter();
        let other = others.find(|name| !name.starts_with("Query") && !name.starts_with("GetItem"));
        assert_eq!(other, None, "{program}");
    }
}

#[test]
fn a_write_operation_is_found_in_a_program_that_contains_one() {
    // The tests of this program write.
    let operations = operations(std::env::current_exe().unwrap());
    for name in ["PutItem", "DeleteItem"] {
        assert!(contains(&operations, name), "{name}: {operations:?}");
    }
}
