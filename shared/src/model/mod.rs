//! The terms of the service as types that cannot hold a wrong value. Nothing here knows HTTP or
//! DynamoDB.

mod credential;
mod facts;
mod filter;
mod hash;
mod number;
mod period;
mod project;
mod response;
mod timestamp;
mod usage;
mod user;

pub use credential::{Account, Credential, ReadKey, Secret};
pub use facts::UserFacts;
pub use filter::{Operator, TraitFilter, TraitName};
pub use hash::{Digest, id_of};
pub use number::canonical_number;
pub use period::Period;
pub use project::ProjectId;
pub use response::{Outcome, Rating, RecordId, ResponseRecord, SHARDS, shard_of};
pub use timestamp::Timestamp;
pub use usage::{Totals, Usage};
pub use user::{Traits, UserId, default_user_id};

/// Why a text is not a value of the type asked for: what it must be, as the end of a sentence
/// that starts with the parameter's name ("must be …").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invalid(pub &'static str);

impl std::fmt::Display for Invalid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Invalid {}
