//! Checks that a response arrived as DynamoDB sent it. The SDK does not.

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;

/// Returns the body of a successful response, or what is wrong with it.
pub(super) fn verified_body(response: &HttpResponse) -> Result<&[u8], &'static str> {
    let body = response.body().bytes().ok_or("the body is missing")?;
    // The SDK would take it for `{}`, which means that there is no such item.
    if body.is_empty() {
        return Err("the body is empty");
    }
    match response.headers().get("x-amz-crc32") {
        Some(expected) if expected.parse() != Ok(crc32fast::hash(body)) => {
            Err("the body does not match its checksum")
        }
        _ => Ok(body),
    }
}
