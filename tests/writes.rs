//! The functions cannot write: neither their programs nor their code contain a write operation.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use crate::support::{STATISTICS_PROGRAM, USERS_PROGRAM};

/// The methods of the SDK that write.
const WRITE_METHODS: [&str; 11] = [
    "put_item",
    "update_item",
    "delete_item",
    "batch_write_item",
    "transact_write_items",
    "create_table",
    "update_table",
    "delete_table",
    "execute_statement",
    "batch_execute_statement",
    "execute_transaction",
];

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
    // This program links the library of `feedback`, which writes.
    let operations = operations(std::env::current_exe().unwrap());
    for name in ["PutItem", "UpdateItem"] {
        assert!(contains(&operations, name), "{name}: {operations:?}");
    }
}

/// Returns the files below a folder of the repository.
fn files(folder: &str) -> Vec<PathBuf> {
    let mut folders = vec![
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join(folder),
    ];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files
}

/// Returns the first of these words that is in a file below the folder.
fn word_in(folder: &str, words: &[&str]) -> Option<(PathBuf, String)> {
    files(folder).into_iter().find_map(|path| {
        let text = std::fs::read_to_string(&path).unwrap();
        let word = words.iter().find(|word| text.contains(**word))?;
        Some((path, (*word).to_owned()))
    })
}

#[test]
fn the_code_of_the_functions_calls_no_method_that_writes() {
    for folder in ["shared", "functions"] {
        assert_eq!(word_in(folder, &WRITE_METHODS), None);
    }
    assert_ne!(word_in("crates/admin/src", &WRITE_METHODS), None);
}

#[test]
fn the_functions_do_not_depend_on_the_sdk() {
    let sdk = ["aws-sdk-dynamodb", "aws_sdk_dynamodb"];
    for folder in ["functions", "shared/service", "shared/model"] {
        assert_eq!(word_in(folder, &sdk), None);
    }
    assert_ne!(word_in("shared/store", &sdk), None);
}
