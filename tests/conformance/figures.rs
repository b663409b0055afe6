//! The figures and lists that the service reads from its rows equal those of its handlers over dynoxide.

use std::collections::HashMap;
use std::net::SocketAddr;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use dynoxide::Database;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;
use service::App;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

use crate::support::{
    Api, Item, Project, STATISTICS, USERS, app_at, basic, body_of, call, client_of, creation,
    filter, item, new_project, s, shard_of,
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

/// Starts the server of dynoxide with the service's tables, and returns its address. It runs as long as
/// the test program.
fn start_dynoxide(runtime: &Runtime) -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let serve = async {
        let listener = TcpListener::from_std(listener).unwrap();
        dynoxide::server::serve_on(listener, Database::memory().unwrap()).await;
    };
    let serving = Builder::new_current_thread().enable_all().build().unwrap();
    // It overflows the stack of other threads.
    let thread = std::thread::Builder::new().stack_size(256 << 20);
    thread.spawn(move || serving.block_on(serve)).unwrap();
    let client = client_of(&format!("http://{address}"));
    for (table, keys) in TABLES {
        runtime
            .block_on(creation(&client, table, keys).send())
            .unwrap();
    }
    address
}

/// Compares the responses of the service with those of its handlers over dynoxide.
async fn compare(project: &Project, app: &App) -> Result<(), TestCaseError> {
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
        let ours = Api::shared().get(&target, &[header]).await;
        prop_assert_eq!(ours.status, theirs.status(), "{}", target);
        let theirs: Value = serde_json::from_str(&body_of(theirs).await).unwrap();
        prop_assert_eq!(ours.json(), theirs, "{}", target);
    }
    Ok(())
}

#[test]
fn figures_and_lists_of_arbitrary_items_equal_those_of_the_handlers_over_dynoxide() {
    let runtime = Runtime::new().unwrap();
    let theirs = start_dynoxide(&runtime);
    let app = app_at(&format!("http://{theirs}"));
    let config = ProptestConfig {
        cases: 24,
        max_shrink_iters: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    proptest!(config, |(items in vec(stored(), 0..25))| {
        runtime.block_on(async {
            let project = new_project().await;
            let other = Project::at(theirs, &project.id).await;
            for item in &items {
                let accepted = item.write(&project.dynamodb, &project.id).await;
                prop_assert_eq!(accepted, item.write(&other.dynamodb, &project.id).await, "{:?}", item);
            }
            compare(&project, &app).await
        })?;
    });
}
