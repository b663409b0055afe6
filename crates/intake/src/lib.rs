//! Reads exports of other services: files of JSON, CSV or spreadsheets, zipped or not, become response records
//! and users.
//!
//! A file is read in five steps:
//!
//! 1. `read_files` opens it as an `input`: unzipped, as the one table of its `archive`, and decoded (`encoding`),
//!    with its first megabyte, the head, in memory.
//! 2. The `plan` looks at the head once: the `dialect` of a table or the `format` of JSON tells how it is divided
//!    into records, and a `sample` has what each column or member holds there.
//! 3. What the options leave open of its `meaning` is decided by the sample, and said, or else refused with the
//!    options that would decide it: `proposals` rank what may hold a field, `date_forms` and `scores` tell how
//!    dates and ratings are written, and `columns` of which type traits are.
//! 4. Then each `raw_record` streams by the plan, divided by `csv` and `table` or by `json`, so that one that is
//!    not valid does not end the reading; its values, of `columns` or of the `fields` of a `json_object`, become a
//!    `parsed_record`, which gets an id if it has none (`ids`), and whose rating is never guessed (`questions`).
//! 5. `records` hands it with its [`Origin`] to a [`Receiver`], which can write a rejected one for correction, and
//!    the [`Report`] says what all of them amount to and whether anything is known to be missing.
//!
//! Memory does not grow with the files, because only the head of one is held, but for a spreadsheet, whose size is
//! limited.

mod archive;
mod columns;
mod csv;
mod date_forms;
mod dates;
mod dialect;
mod encoding;
mod extended_json;
mod fields;
mod format;
mod ids;
mod input;
mod json;
mod json_object;
mod meaning;
mod parsed_record;
mod paths;
mod plan;
mod proposals;
mod questions;
mod raw_record;
mod read_files;
mod reason;
mod receiver;
mod records;
mod report;
mod rules;
mod sample;
mod scores;
mod table;

pub use dates::{DateForm, Dates};
pub use encoding::FileEncoding;
pub use meaning::Undecided;
pub use read_files::{check, read_all};
pub use reason::{Reason, argument};
pub use receiver::{Origin, Receiver, Record};
pub use records::Records;
pub use report::{RecordSummary, Report};
pub use rules::{ImportRules, Mapping, RecordKind, Selection, StringTraits};
