#![no_main]
//! Checks that a page of arbitrary bytes is either refused or read, that every page that is read is
//! JSON, that every response is JSON, and that the SDK finds the same records in the page.

use fuzz::{Item, Operation, decoded, request};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use model::UserId;

const STATISTICS: &str = "project=p&startDate=2020-01-01";
const FILTERED: &str = "project=p&startDate=2020-01-01&filters[user.traits.string.plan][operator]=ne&filters[user.traits.string.plan][value]=x\
                        &filters[user.traits.number.plan][operator]=ne&filters[user.traits.number.plan][value]=1.5e-3\
                        &filters[user.traits.boolean.plan][operator]=ne&filters[user.traits.boolean.plan][value]=true";
const GROUPED: &str = "project=p&startDate=2020-01-01&endDate=2020-02-01&interval=day&groupBy=user.traits.string.plan";

/// The number of shards. Each responds with the same page.
const SHARDS: usize = 16;

fuzz_target!(|page: &[u8]| {
    // A page with the key of a next page would be requested without end.
    if String::from_utf8_lossy(page).contains("LastEvaluatedKey")
        || page.contains(&b'\\') && page.len() > 4096
    {
        return;
    }
    let items = decoded(page);
    for (operation, query) in [
        (Operation::Users, "project=p"),
        (Operation::Statistics, STATISTICS),
        (Operation::Statistics, FILTERED),
        (Operation::Statistics, GROUPED),
    ] {
        let outcome = request(operation, query, page).expect("the query is valid in a URL");
        // 422: a value is too long for a group. 503: the page is damaged.
        assert!(
            matches!(outcome.status, 200 | 422 | 503),
            "{}",
            outcome.status
        );
        let body = outcome
            .body
            .expect("the first page is read before the response begins");
        let body: Value = serde_json::from_slice(&body).expect("every response is JSON");
        if outcome.status != 200 {
            continue;
        }
        let text: Value = serde_json::from_slice(page).expect("every page that is read is JSON");
        assert!(text["Items"].is_array());
        match &items {
            Some(items) if operation == Operation::Users => assert_same_users(&body, items),
            Some(items) if query == STATISTICS => assert_same_responses(&body, items),
            _ => {}
        }
    }
});

fn assert_same_users(document: &Value, items: &[Item]) {
    let listed = document["users"].as_array().expect("a list of users");
    let listed = listed.iter().map(|user| user["userId"].as_str());
    // An item without a userId is no user.
    let ids = items
        .iter()
        .filter_map(|item| item.get("userId")?.as_s().ok());
    let stored = ids
        .filter(|id| UserId::is_valid(id))
        .map(|id| Some(id.as_str()));
    assert!(listed.eq(stored), "{document}");
}

fn assert_same_responses(document: &Value, items: &[Item]) {
    let whole = |item: &&Item| {
        let rating = item.get("rating").filter(|rating| !rating.is_null());
        let dismissed = item.get("dismissed").filter(|flag| !flag.is_null());
        // DynamoDB writes whole numbers without a point or an exponent.
        let is_rating = |digits: &String| digits.parse::<u8>().is_ok_and(|rating| rating <= 10);
        rating.is_none_or(|rating| rating.as_n().is_ok_and(is_rating))
            && dismissed.is_none_or(|flag| flag.is_bool())
    };
    let displays = SHARDS * items.iter().filter(whole).count();
    assert_eq!(document["data"][0]["attributes"]["displays"], displays);
}
