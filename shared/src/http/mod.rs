//! Between `lambda_http` and the operations: what a handler reads from a request, and the one place
//! where an outcome becomes a response.

mod answer;
mod call;
mod failure;
mod gzip;
mod log;
mod parameters;

pub use answer::{
    Answer, BUFFERED_LIMIT, Body, answer, buffered, buffered_len, json, streamed, whole,
};
pub use call::Call;
pub use gzip::gzipped;
pub use log::init as init_log;
pub use parameters::Parameters;
