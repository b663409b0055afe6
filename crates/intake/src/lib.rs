//! Reads exports of other services: files of JSON or CSV, gzipped or not, become response records and users.
//!
//! `read_files` opens each file (`input`), and makes its `plan`: the [`ImportRules`], completed by what the head
//! of the file shows. A `sample` of its values is taken, by the `dialect` of a table or the `format` of JSON;
//! `proposals` ranks what may hold a field, `date_forms` and `scores` tell how dates and ratings are written, and
//! `columns` of which type traits are.
//!
//! Then the records stream by the plan. `csv` and `table`, or `json`, divide the bytes into raw records, so that one
//! that is not valid does not end the reading, and take their values from `columns`, or from the `fields` of a
//! `json_object`. They become a `parsed_record`, of which `records` makes items. One without an id gets one (`ids`),
//! and an answer is never guessed to be the rating (`questions`).
//!
//! A [`Receiver`] gets the record with its [`Origin`], from which a rejected one can be written for correction,
//! and the [`Report`] says what all of them amount to and whether anything is known to be missing. Memory does
//! not grow with the files.

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
