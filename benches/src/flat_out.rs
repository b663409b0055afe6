//! Measures how many response records a second a store accepts in batch writes. The requests are
//! rendered beforehand, with 25 records each, and eight are in flight at a time.

use std::time::Instant;

use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::json;

use crate::Failure;

const SIGNATURE: &str = "AWS4-HMAC-SHA256 Credential=a/20260301/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0";

/// Writes the records and prints how many were written a second.
pub(crate) async fn run(address: &str, records: u64) -> Result<(), Failure> {
    let bodies: Vec<String> = (0..records / 25).map(body).collect();
    let client = reqwest::Client::builder().no_proxy().build()?;
    let started = Instant::now();
    stream::iter(bodies)
        .map(|body| {
            let request = client
                .post(address)
                .header("X-Amz-Target", "DynamoDB_20120810.BatchWriteItem")
                .header("X-Amz-Date", "20260301T120000Z")
                .header("Authorization", SIGNATURE)
                .header("Content-Type", "application/x-amz-json-1.0")
                .body(body);
            async { request.send().await?.error_for_status()?.bytes().await }
        })
        .buffer_unordered(8)
        .try_for_each(async |_| Ok(()))
        .await?;
    #[allow(clippy::cast_precision_loss)]
    let rate = records as f64 / started.elapsed().as_secs_f64();
    println!("{rate:.0}");
    Ok(())
}

/// Renders a request that writes 25 records like those that `benches/run` imports.
fn body(batch: u64) -> String {
    let puts: Vec<_> = (batch * 25..(batch + 1) * 25)
        .map(|n| {
            let id = format!("{:024x}", n.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            json!({"PutRequest": {"Item": {
                "shard": {"S": format!("flat-out#{}", n % 4)},
                "at": {"S": format!("2024-01-{:02}T{:02}:{:02}:{:02}.000Z#{id}", n / 86400 % 28 + 1, n / 3600 % 24, n / 60 % 60, n % 60)},
                "userId": {"S": format!("user-{:06}", n % 20_000)},
                "rating": {"N": (n % 11).to_string()},
                "traits": {"M": {
                    "plan": {"S": "enterprise"}, "country": {"S": "Finland"}, "browser": {"S": "Firefox 128"},
                    "seats": {"N": (n % 99).to_string()}, "admin": {"BOOL": n % 5 == 0},
                    "company": {"S": format!("Company {}", n % 1000)},
                }},
            }}})
        })
        .collect();
    json!({"RequestItems": {"responses": puts}}).to_string()
}
