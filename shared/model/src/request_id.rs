//! The ids of requests.

use uuid::Uuid;

/// Makes the id of a request that has none.
pub fn new_request_id() -> String {
    Uuid::new_v4().to_string()
}
