//! The figures and lists that the service reads from its rows equal those that its handlers compute over dynoxide.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use shared::App;

use super::corpus::Entry;
use super::servers::Servers;
use crate::support::{
    Api, Item, Project, STATISTICS, USERS, app_at, basic, body_of, call, filter, item, s, shard_of,
};

/// The tables of the service, with their keys.
const TABLES: [(&str, &[&str]); 3] = [
    ("users", &["project", "userId"]),
    ("responses", &["shard", "at"]),
    ("credentials", &["digest"]),
];

/// The attributes that the service knows.
const ATTRIBUTES: [&str; 9] = [
    "rating",
    "dismissed",
    "traits",
    "name",
    "email",
    "id",
    "created",
    "lastSeen",
    "unsubscribed",
];

/// An item of the service's tables, as any program may write it.
#[derive(Debug, Clone)]
struct Stored {
    in_users: bool,
    range: String,
    attributes: Item,
}

fn stored() -> impl Strategy<Value = Stored> {
    let range = prop_oneof![
        "2026-01-01T00:00:00[.]00[0-3]Z#[a-c]",
        "[aAz/#é\u{0}\u{FFFF}\u{1F600}]{1,2}"
    ];
    let rated = (0..11_u8).prop_map(|rating| {
        let rating = AttributeValue::N(rating.to_string());
        HashMap::from([("rating".to_owned(), rating)])
    });
    let attributes = prop_oneof![1 => rated, 4 => item(&ATTRIBUTES)];
    (any::<bool>(), range, attributes).prop_map(|(in_users, range, attributes)| Stored {
        in_users,
        range,
        attributes,
    })
}

impl Stored {
    /// Writes the item; returns whether the store accepted it.
    async fn write(&self, dynamodb: &Client, project: &str) -> bool {
        let (table, keys, partition) = if self.in_users {
            ("users", TABLES[0].1, project.to_owned())
        } else {
            // The figures count only the records that are in the shards of their ids.
            let id = self.range.rsplit('#').next().unwrap();
            (
                "responses",
                TABLES[1].1,
                format!("{project}#{}", shard_of(id)),
            )
        };
        let put = dynamodb.put_item().table_name(table);
        let put = put.set_item(Some(self.attributes.clone()));
        let put = put
            .item(keys[0], s(&partition))
            .item(keys[1], s(&self.range));
        put.send().await.is_ok()
    }
}

async fn servers() -> Servers {
    let mut servers = Servers::start().await;
    for (table, keys) in TABLES {
        let keys = keys.iter().zip(["HASH", "RANGE"]);
        let schema = keys
            .clone()
            .map(|(key, kind)| json!({"AttributeName": key, "KeyType": kind}));
        let types = keys.map(|(key, _)| json!({"AttributeName": key, "AttributeType": "S"}));
        let creation = json!({
            "TableName": table, "BillingMode": "PAY_PER_REQUEST", "KeySchema": schema.collect::<Value>(),
            "AttributeDefinitions": types.collect::<Value>(),
        });
        for reply in servers.send(&Entry::of("CreateTable", &creation)).await {
            assert_eq!(reply.status, 200, "{reply:?}");
        }
    }
    servers
}

/// Compares the responses of the service with those of its handlers over dynoxide.
async fn compare(api: &Api, project: &Project, app: &App) -> Result<(), TestCaseError> {
    let period = "&startDate=2026-01-01&endDate=2026-01-01T00:00:00.002Z";
    let filter = filter("plan", "ne", "a")
        .replace('[', "%5B")
        .replace(']', "%5D");
    let account = basic(&project.username, &project.password);
    for (path, query) in [
        (STATISTICS, period),
        (STATISTICS, &format!("{period}{filter}")),
        (USERS, ""),
        (USERS, "&limit=3"),
        (USERS, "&userId=a"),
    ] {
        let target = project.target(path) + query;
        let header = match path {
            STATISTICS => ("AuthKey", project.read_key.as_str()),
            _ => ("Authorization", account.as_str()),
        };
        let request = call(http::Request::get(&target).header(header.0, header.1));
        let theirs = match path {
            STATISTICS => response_statistics::handle(request, app).await,
            _ => users::handle(request, app).await,
        };
        let ours = api.get(&target, &[header]).await;
        prop_assert_eq!(ours.status, theirs.status(), "{}", target);
        let theirs: Value = serde_json::from_str(&body_of(theirs).await).unwrap();
        prop_assert_eq!(ours.json(), theirs, "{}", target);
    }
    Ok(())
}

#[test]
fn figures_and_lists_of_arbitrary_items_equal_those_of_the_handlers_over_dynoxide() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let servers = runtime.block_on(servers());
    let [ours, theirs] = servers.addresses;
    let (api, app) = (Api::at(servers.api()), app_at(&format!("http://{theirs}")));
    let cases = std::cell::Cell::new(0);
    let config = ProptestConfig {
        cases: 24,
        max_shrink_iters: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    proptest!(config, |(items in vec(stored(), 0..25))| {
        runtime.block_on(async {
            let name = format!("case-{}", cases.replace(cases.get() + 1));
            let project = Project::at(ours, &name).await;
            let other = Project::at(theirs, &name).await;
            for item in &items {
                let accepted = item.write(&project.dynamodb, &name).await;
                prop_assert_eq!(accepted, item.write(&other.dynamodb, &name).await, "{:?}", item);
            }
            compare(&api, &project, &app).await
        })?;
    });
}
