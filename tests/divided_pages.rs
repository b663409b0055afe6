//! Pages of records that are divided into intervals and groups, over a stub store.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{
    Item, Pages, app_at, body_of, client_of, item, page, request_statistics, serve_pages,
};

/// Returns the status and the attributes of the elements.
async fn statistics(page: &str, query: &str) -> (u16, Vec<Value>) {
    let address = serve_pages(Pages(vec![(page.to_owned(), None)]));
    let query = format!("&startDate=2026-01-01&endDate=2026-01-04{query}");
    let response = request_statistics(&app_at(&address), &query).await;
    let status = response.status().as_u16();
    let mut document: Value = serde_json::from_str(&body_of(response).await).unwrap();
    let elements = document["data"].as_array_mut().map(std::mem::take);
    let attributes = |mut element: Value| element["attributes"].take();
    let attributes = elements.unwrap_or_default().into_iter().map(attributes);
    (status, attributes.collect())
}

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
        let (_, elements) = statistics(&days(&order), "&interval=day").await;
        let displays: Vec<_> = elements.iter().map(|day| &day["displays"]).collect();
        assert_eq!(displays, [1, 1, 2], "{order:?}");
    }
}

#[tokio::test]
async fn a_record_without_a_key_fails_a_request_that_needs_it() {
    for at in ["", r#","at":{"N":"1"}"#, r#","at":{"NULL":true}"#] {
        let page = format!(r#"{{"Items":[{{"rating":{{"N":"1"}}{at}}}]}}"#);
        assert_eq!(statistics(&page, "&interval=day").await.0, 503, "{at}");
        assert_eq!(statistics(&page, "&interval=year").await.0, 200, "{at}");
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
            let address = serve_pages(Pages(vec![(text.clone(), None)]));
            let query = client_of(&address).query().table_name("t").key_condition_expression("a = b");
            let sdk = query.send().await.unwrap().items.unwrap();
            for kind in ["string", "boolean"] {
                let (_, groups) = statistics(&text, &format!("&groupBy=user.traits.{kind}.plan")).await;
                let group = |group: &Value| (group["group"].to_string(), group["displays"].as_u64().unwrap());
                let found: BTreeMap<_, _> = groups.iter().map(group).collect();
                prop_assert_eq!(found, displays(&sdk, kind), "{} {}", kind, text);
            }
            Ok(())
        })?;
    }
}
