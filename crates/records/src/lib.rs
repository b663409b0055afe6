//! Reads exports of other services: files of JSON or CSV, gzipped or not, become response records and users.
//!
//! [`read_all`] recognizes the format of each file and divides it into records without parsing them, so that one that is not
//! valid does not end the reading. [`Records`] parses each one by the [`Rules`], derives an id for those that have none, and
//! hands it to a [`Receiver`], with its [`Origin`], from which a rejected record can be written for correction. The
//! [`Report`] adds the records up, each once, and says whether anything is known to be missing. Memory does not grow with the
//! files.

mod canonical;
mod columns;
mod csv;
mod dates;
mod delivery;
mod derived_ids;
mod entry;
mod fields;
mod format;
mod ignored;
mod input;
mod json;
mod kind;
mod mapping;
mod members;
mod origin;
mod pages;
mod path;
mod paths;
mod questions;
mod quotes;
mod reader;
mod reason;
mod receiver;
mod record;
mod records;
mod repetitions;
mod rows;
mod rules;
mod source;
mod summary;
mod temporary;
mod values;

pub use dates::{Dates, parse_format};
pub use fields::Fields;
pub use kind::Kind;
pub use mapping::Mapping;
pub use members::Members;
pub use origin::Origin;
pub use questions::Questions;
pub use reader::{check, read_all};
pub use reason::Reason;
pub use receiver::{Receiver, Record};
pub use record::{ParsedResponse, parse_response};
pub use records::{Records, Report};
pub use rules::{Quoting, Rules, TraitCells, Users};
pub use summary::Summary;
