//! The pages that the service joins from rows equal those of dynoxide, and so do the figures and lists that
//! it reads in its own process.

use std::cell::{Cell, RefCell};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use shared::App;
use tokio::runtime::Builder;

use super::comparison;
use super::corpus::Entry;
use super::items::{TABLES, item, write};
use super::queries::query;
use super::servers::Servers;
use crate::support::{
    Api, Project, Reply, STATISTICS, USERS, app_at, basic, body_of, call, filter,
};

async fn servers() -> Servers {
    let mut servers = Servers::start().await;
    for (table, hash, range) in TABLES {
        let keys = [Some((hash, "HASH")), range.map(|range| (range, "RANGE"))];
        let keys = keys.into_iter().flatten();
        let elements = keys
            .clone()
            .map(|(name, kind)| json!({"AttributeName": name, "KeyType": kind}));
        let definitions =
            keys.map(|(name, _)| json!({"AttributeName": name, "AttributeType": "S"}));
        let creation = json!({
            "TableName": table, "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": elements.collect::<Vec<_>>(),
            "AttributeDefinitions": definitions.collect::<Vec<_>>(),
        });
        for reply in servers.send(&Entry::of("CreateTable", &creation)).await {
            assert_eq!(reply.status, 200, "{reply:?}");
        }
    }
    servers
}

/// Sends a request to both servers, compares the responses, and returns the service's.
async fn compare(servers: &mut Servers, entry: &Entry) -> Result<Value, TestCaseError> {
    let [ours, mut theirs] = servers.send(entry).await;
    scanned_as_counted(&mut theirs);
    let equal = comparison::equal(entry, &ours, &theirs);
    equal.map_err(|difference| TestCaseError::fail(format!("{entry:.500?}: {difference}")))?;
    Ok(ours.json())
}

/// Corrects the number of scanned items of a page that ends at 1 MB. dynoxide counts the first item of the
/// next page as well; DynamoDB and the service do not.
fn scanned_as_counted(reply: &mut Reply) {
    let mut page = reply.json();
    let counted = page["Count"].as_u64().unwrap_or_default();
    if page.get("LastEvaluatedKey").is_some() && page["ScannedCount"] == counted + 1 {
        page["ScannedCount"] = counted.into();
        reply.body = page.to_string().into();
    }
}

/// Compares all pages of a Query, and returns how many they are.
async fn compare_pages(servers: &mut Servers, mut body: Value) -> Result<u32, TestCaseError> {
    let mut pages = 0;
    loop {
        let page = compare(servers, &Entry::of("Query", &body)).await?;
        pages += 1;
        match page.get("LastEvaluatedKey") {
            Some(key) => body["ExclusiveStartKey"] = key.clone(),
            None => return Ok(pages),
        }
    }
}

/// Compares the responses of the service with those of its handlers over dynoxide.
async fn compare_api(servers: &Servers, project: &Project, app: &App) -> Result<(), TestCaseError> {
    let period = "&startDate=2026-01-01&endDate=2026-01-01T00:00:00.002Z";
    let filter = filter("plan", "ne", "a")
        .replace('[', "%5B")
        .replace(']', "%5D");
    let account = basic(&project.username, &project.password);
    for query in [period, &format!("{period}{filter}")] {
        let target = project.target(STATISTICS) + query;
        let header = ("AuthKey", project.read_key.as_str());
        let request = call(http::Request::get(&target).header(header.0, header.1));
        let theirs = response_statistics::handle(request, app).await;
        compare_responses(servers, &target, header, theirs).await?;
    }
    for query in ["", "&limit=3", "&userId=a"] {
        let target = project.target(USERS) + query;
        let header = ("Authorization", account.as_str());
        let request = call(http::Request::get(&target).header(header.0, header.1));
        let theirs = users::handle(request, app).await;
        compare_responses(servers, &target, header, theirs).await?;
    }
    Ok(())
}

/// Compares the response of the service with another one.
async fn compare_responses(
    servers: &Servers,
    target: &str,
    header: (&str, &str),
    theirs: shared::http::Response,
) -> Result<(), TestCaseError> {
    let ours = Api::at(servers.api()).get(target, &[header]).await;
    prop_assert_eq!(ours.status, theirs.status(), "{}", target);
    let theirs: Value = serde_json::from_str(&body_of(theirs).await).unwrap();
    prop_assert_eq!(ours.json(), theirs, "{}", target);
    Ok(())
}

#[test]
fn arbitrary_pages_figures_and_lists_equal_those_of_dynoxide() {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.unwrap();
    let servers = RefCell::new(runtime.block_on(servers()));
    let app = app_at(&format!("http://{}", servers.borrow().addresses[1]));
    let cases = Cell::new(0);
    let mut runner = TestRunner::new(ProptestConfig {
        cases: 24,
        max_shrink_iters: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let compared = runner.run(
        &(vec(item(), 0..25), vec(query(), 1..12)),
        |(items, queries)| {
            let servers = &mut servers.borrow_mut();
            runtime.block_on(async {
                let name = format!("case-{}", cases.replace(cases.get() + 1));
                let [ours, theirs] = servers.addresses;
                let project = Project::at(ours, &name).await;
                Project::at(theirs, &name).await;
                compare(servers, &write(&project.id, &items)).await?;
                for query in &queries {
                    compare_pages(servers, query.body(&project.id, &items)).await?;
                }
                compare_api(servers, &project, &app).await
            })
        },
    );
    compared.unwrap_or_else(|failure| panic!("{failure}"));
}

/// The size of a page, and that of an item, from which there is no room, as DynamoDB counts them.
const PAGE: usize = 1 << 20;
const ITEM: usize = 400 << 10;

#[tokio::test]
async fn pages_end_at_1_mb_as_those_of_dynoxide() {
    let mut servers = servers().await;
    // The sizes of the items of a partition, and how many pages they are.
    let rest = PAGE - 2 * ITEM;
    let partitions = [
        (vec![ITEM, ITEM, rest], 1),
        (vec![ITEM, ITEM, rest, 30], 2),
        (vec![ITEM, ITEM, rest + 1], 2),
        (vec![ITEM, ITEM, rest - 30, 30, 30], 2),
        (vec![ITEM; 6], 3),
        (vec![100_000; 25], 3),
    ];
    for (number, (sizes, expected)) in partitions.into_iter().enumerate() {
        let project = format!("p{number}");
        for (count, size) in sizes.into_iter().enumerate() {
            let range = format!("{count:02}");
            let of_others =
                "project".len() + project.len() + "userId".len() + range.len() + "é".len();
            // A letter of two bytes.
            let text = "é".repeat((size - of_others) / 2) + &"x".repeat((size - of_others) % 2);
            let item = json!({"project": {"S": project}, "userId": {"S": range}, "é": {"S": text}});
            let put = Entry::of("PutItem", &json!({"TableName": "users", "Item": item}));
            compare(&mut servers, &put).await.unwrap();
        }
        let mut query = json!({
            "TableName": "users", "KeyConditionExpression": "#h = :h",
            "ExpressionAttributeNames": {"#h": "project"}, "ExpressionAttributeValues": {":h": {"S": project}},
            "ReturnConsumedCapacity": "TOTAL",
        });
        assert_eq!(
            compare_pages(&mut servers, query.clone()).await.unwrap(),
            expected,
            "{number}"
        );
        query["ExpressionAttributeNames"]["#u"] = "userId".into();
        query["ProjectionExpression"] = "#u".into();
        assert_eq!(
            compare_pages(&mut servers, query).await.unwrap(),
            expected,
            "{number}"
        );
    }
}
