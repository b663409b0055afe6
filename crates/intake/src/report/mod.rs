//! What becomes of records, and what is told of them.

pub(crate) mod ignored;
pub(crate) mod pages;
pub(crate) mod receiver;
pub(crate) mod summary;
