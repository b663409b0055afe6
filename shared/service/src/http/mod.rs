//! HTTP, between API Gateway's events (or plain requests) and the operations: what an operation reads
//! from a request, and the one place where its result becomes a response.

mod call;
mod deadline;
mod error_document;
mod gateway;
mod gzip;
mod host;
mod invocation;
mod log;
mod log_entry;
mod metrics;
mod parameters;
mod response;

pub use call::Call;
pub use deadline::Deadline;
pub use gateway::{FunctionOutput, Gateway};
pub use gzip::gzipped;
pub use host::Host;
pub use invocation::Invocation;
pub use log::init as init_log;
pub use parameters::Parameters;
pub use response::{
    BUFFERED_LIMIT, Body, REQUEST_ID, Response, SKIPPED_RECORDS, buffered, buffered_len, json,
    respond, streamed, whole,
};
