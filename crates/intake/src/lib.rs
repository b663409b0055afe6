//! Reads exports of other services: files of JSON or CSV, gzipped or not, become response records and users.
//!
//! `read_files` opens each file (`input`), and `format` recognizes what it is. `json` or `table` divides its
//! bytes into raw records without parsing them, so that one that is not valid does not end the reading. Only
//! `csv` knows how CSV is written.
//!
//! `records` takes each raw record. The members of its `json_object`, or the columns of its row (`table`), become
//! `fields` by the [`ImportRules`] and their `paths`, and these a `parsed_record`. One without an id gets one
//! (`ids`), and a rating is never guessed (`questions`). The first records of a file of JSON wait until
//! `field_search` has found what they need.
//!
//! A [`Receiver`] gets the record with its [`Origin`], from which a rejected one can be written for correction,
//! and the [`Report`] says what all of them amount to and whether anything is known to be missing. Memory does
//! not grow with the files.

mod columns;
mod csv;
mod dates;
mod field_search;
mod fields;
mod format;
mod ids;
mod input;
mod json;
mod json_object;
mod parsed_record;
mod paths;
mod questions;
mod raw_record;
mod read_files;
mod reason;
mod receiver;
mod records;
mod report;
mod rules;
mod table;

pub use dates::{Dates, parse_format};
pub use raw_record::Origin;
pub use read_files::{check, read_all};
pub use reason::{Reason, argument};
pub use receiver::{Receiver, Record};
pub use records::Records;
pub use report::{RecordSummary, Report};
pub use rules::{ImportRules, Mapping, RecordKind};
