//! Reads exports of other services: files of JSON or CSV, gzipped or not, become response records and users.
//!
//! A record falls once through the folders. `formats` recognizes each file and divides its bytes into
//! records without parsing them, so that one that is not valid does not end the reading. `reading` takes
//! each of them: its `JsonObject`, or the columns of its row (`raw`), become `Fields` by the
//! [`ImportRules`], and a `record`. One without an id gets one (`ids`). A [`Receiver`] gets the record with
//! its [`Origin`], from which a rejected one can be written for correction, and the [`Report`] says what all
//! of them amount to and whether anything is known to be missing. Memory does not grow with the files.

mod formats;
mod ids;
mod members;
mod raw;
mod reading;
mod record;
mod report;
mod rules;

pub use formats::files::{check, read_all};
pub use raw::origin::Origin;
pub use reading::{Records, Report};
pub use report::receiver::{Receiver, Record};
pub use report::summary::RecordSummary;
pub use rules::ImportRules;
pub use rules::dates::{Dates, parse_format};
pub use rules::kind::RecordKind;
pub use rules::mapping::Mapping;
pub use rules::reason::{Reason, argument};
