//! Reads exports of other services: files of JSON, CSV or spreadsheets, zipped or not, become response records
//! and users.
//!
//! **A file is a stream of rows of named values; options say which name is which field; a guess is a completed set of
//! options.**
//!
//! | module | what it does |
//! |---|---|
//! | `read` | opens files one after the other, completes the options of each, and hands its records to a [`Receiver`] |
//! | `guess` | completes options by what the head of a file shows, or refuses with what would decide it: a pure function |
//! | `names` | which field a name may be: where the export of another service is taught |
//! | `record` | what every file gives, rows; and from a row and options to a record, or why not: a pure function |
//! | `head` | what the first megabyte has of each column or member |
//! | `table`, `json` | the rows of a table and of JSON, of which one that is not valid does not end the others |
//! | `pages` | whether documents are all pages of a list |
//! | `nested` | says how records that are deeper in a document are taken out |
//! | `csv`, `json_object` | how rows and values are written |
//! | `file`, `encoding` | opens a file: unzipped, decoded, with its first megabyte in memory |
//! | `workbook` | the sheets of a spreadsheet as CSV |
//! | `ids` | derives ids, and knows those that repeat |
//! | `row_kinds` | what a row is, if it is not one answer: a count, or an answer to one of several questions |
//! | `report`, `reason` | what all records amount to, what is known to be missing, and how that is worded |
//! | `rules` | the options |
//! | `dates`, `scores` | how dates and ratings are read, and which forms they seem to have |
//!
//! Memory does not grow with the files, because only the head of one is held, and the texts of a spreadsheet, whose
//! size is limited.

mod csv;
mod dates;
mod doubtful_rows;
mod encoding;
mod file;
mod guess;
mod head;
mod ids;
mod json;
mod json_object;
mod names;
mod nested;
mod pages;
mod read;
mod reason;
mod record;
mod report;
mod row_kinds;
mod rules;
mod scores;
mod table;
mod workbook;

pub use dates::{DateForm, Dates};
pub use encoding::FileEncoding;
pub use guess::Undecided;
pub use read::{IdComparison, Origin, Receiver, Record, Records, check, read_all};
pub use reason::{Reason, argument};
pub use report::Report;
pub use rules::{Found, ImportRules, Mapping, Null, RecordKind, Selection, StringTraits};
