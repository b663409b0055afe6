//! Pages of records that are divided into intervals and groups, as the SDK decodes them.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use test_support::stub::Answer;

use crate::support::{
    Item, Operation, app_of_page, app_with, ask, check_statistics, client_of_pages, decoded, item,
    page,
};

const PERIOD: &str = "startDate=2026-01-01&endDate=2026-01-04";

/// Renders a page with records of these days of January.
fn days(days: &[&str]) -> String {
    let item = |day: &&str| format!(r#"{{"at":{{"S":"2026-01-{day}T00:00:00.000Z#a"}}}}"#);
    let items: Vec<_> = days.iter().map(item).collect();
    format!(r#"{{"Items":[{}]}}"#, items.join(","))
}

#[tokio::test]
async fn intervals_do_not_depend_on_the_order_of_records() {
    for order in [
        ["01", "02", "03", "03"],
        ["03", "01", "03", "02"],
        ["02", "03", "03", "01"],
    ] {
        let query = format!("{PERIOD}&interval=day");
        let reply = ask(&app_of_page(&days(&order)), Operation::Statistics, &query).await;
        let displays =
            [0, 1, 2].map(|day| reply.json()["data"][day]["attributes"]["displays"].clone());
        assert_eq!(displays, [1, 1, 2], "{order:?}");
    }
}

#[tokio::test]
async fn a_record_without_a_key_fails_a_request_that_needs_it() {
    for at in ["", r#","at":{"N":"1"}"#, r#","at":{"NULL":true}"#] {
        let page = format!(r#"{{"Items":[{{"rating":{{"N":"1"}}{at}}}]}}"#);
        let table = format!("{PERIOD}&interval=day | 503 unavailable\n{PERIOD}&interval=year | 1");
        check_statistics(&app_of_page(&page), &table).await;
    }
}

/// Counts the displays of each plan, or of each flag, in items that the SDK decoded.
fn displays(items: &[Item], kind: &str) -> BTreeMap<String, u64> {
    let mut displays = BTreeMap::new();
    for item in items {
        let plan = item
            .get("traits")
            .and_then(|traits| traits.as_m().ok()?.get("plan"));
        let value = match kind {
            "string" => plan
                .and_then(|plan| plan.as_s().ok())
                .map(|text| json!(text)),
            _ => plan
                .and_then(|plan| plan.as_bool().ok())
                .map(|flag| json!(flag)),
        };
        *displays.entry(json!(value).to_string()).or_default() += 1;
    }
    displays
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, max_shrink_iters: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn groups_equal_those_of_the_items_that_the_sdk_decodes(items in vec(item(&["traits"]), 0..12), noise in vec(any::<u8>(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let text = page(&items, noise);
            let client = client_of_pages(vec![Answer::from(text.clone())]);
            let (sdk, app) = (decoded(&client).await, app_with(&client));
            for kind in ["string", "boolean"] {
                let query = format!("{PERIOD}&groupBy=user.traits.{kind}.plan");
                let document = ask(&app, Operation::Statistics, &query).await.json();
                let groups = document["data"].as_array().unwrap().iter().map(|group| &group["attributes"]);
                let group = |group: &Value| (group["group"].to_string(), group["displays"].as_u64().unwrap());
                let found: BTreeMap<_, _> = groups.map(group).collect();
                prop_assert_eq!(found, displays(&sdk, kind), "{} {}", kind, text);
            }
            Ok(())
        })?;
    }
}
