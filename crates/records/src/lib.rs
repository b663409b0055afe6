//! Reads exports of other services: files of JSON or CSV, gzipped or not, become response records and users.
//!
//! [`read_all`] recognizes the format of each file and divides it into records without parsing them, so that one that is not
//! valid does not end the reading. [`Records`] parses each one by the [`Rules`], derives an id for those that have none, and
//! hands it to a [`Receiver`], with its [`Origin`], from which a rejected record can be written for correction. Memory does
//! not grow with the files.

mod columns;
mod csv;
mod dates;
mod entry;
mod format;
mod identities;
mod input;
mod json;
mod kind;
mod members;
mod origin;
mod quotes;
mod reader;
mod reason;
mod record;
mod records;
mod rows;
mod source;
mod values;

pub use columns::{CellOptions, Mapping, Quoting, TraitCells};
pub use dates::{Dates, parse_format};
pub use kind::Kind;
pub use members::Members;
pub use origin::Origin;
pub use reader::{check, read_all};
pub use reason::Reason;
pub use record::{ParsedResponse, parse_response};
pub use records::{Receiver, Record, Records, Rules, Users};
