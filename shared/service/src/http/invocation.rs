//! What a function is invoked with: the events of API Gateway, and a check.

use std::collections::BTreeMap;

use lambda_http::LambdaEvent;
use model::Timestamp;
use serde_json::value::RawValue;

use super::call::Call;
use super::gateway::Gateway;

/// An invocation of a function.
pub enum Invocation {
    /// By API Gateway.
    Request(Box<Call>, Gateway),
    /// By whoever may invoke the function itself, to learn whether it can read its tables.
    Check,
}

impl Invocation {
    /// Reads the event of an invocation at `now`: exactly `{"check":true}`, or one of API Gateway, which has
    /// other members. Any other is a request that is refused.
    pub fn from_event(event: LambdaEvent<Box<RawValue>>, now: Timestamp) -> Self {
        let (payload, context) = event.into_parts();
        let flags = serde_json::from_str::<BTreeMap<String, bool>>(payload.get());
        if flags.is_ok_and(|flags| flags.into_iter().eq([("check".to_owned(), true)])) {
            return Self::Check;
        }
        let (call, gateway) = Call::from_event(&payload, context, now);
        Self::Request(Box::new(call), gateway)
    }
}
