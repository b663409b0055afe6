//! Reads exports of other services: files of JSON, CSV or spreadsheets, zipped or not, become response records
//! and users.
//!
//! **A file is a stream of rows of named values; options say which name is which field.**
//!
//! | module | what it does |
//! |---|---|
//! | `read` | opens files one after the other, plans each, and hands its records to a [`Receiver`] |
//! | `plan` | looks at the head of a file once, and decides how it is read |
//! | `meaning` | completes the options by what the head shows, or refuses with those that would decide it |
//! | `proposals` | ranks what may hold a field, by the names and values in the head |
//! | `record` | from a row and options to a record, or why not: a pure function |
//! | `table`, `json` | the rows of a table and of JSON, of which one that is not valid does not end the others |
//! | `row` | what both give |
//! | `csv`, `json_object` | how rows and values are written |
//! | `file` | opens a file: unzipped, a sheet as CSV, decoded, with its first megabyte in memory |
//! | `ids` | derives ids, and knows those that repeat |
//! | `report` | what all records amount to, and what is known to be missing |
//! | `rules` | the options |
//! | `dates`, `date_forms`, `scores` | how dates and ratings are read, and which forms they seem to have |
//!
//! Memory does not grow with the files, because only the head of one is held, and the texts of a spreadsheet, whose
//! size is limited.

mod csv;
mod date_forms;
mod dates;
mod encoding;
mod file;
mod ids;
mod json;
mod json_object;
mod meaning;
mod plan;
mod proposals;
mod read;
mod reason;
mod record;
mod report;
mod row;
mod rules;
mod scores;
mod table;

pub use dates::{DateForm, Dates};
pub use encoding::FileEncoding;
pub use meaning::Undecided;
pub use read::{Origin, Receiver, Record, Records, check, read_all};
pub use reason::{Reason, argument};
pub use report::{RecordSummary, Report};
pub use rules::{ImportRules, Mapping, RecordKind, Selection, StringTraits};
