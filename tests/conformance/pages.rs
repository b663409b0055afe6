//! The figures and lists that the service reads from rows equal those that its handlers compute over dynoxide, and
//! pages at its DynamoDB address equal those of dynoxide.

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
use crate::support::{Api, Project, STATISTICS, USERS, app_at, basic, body_of, call, filter};

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
    let [ours, theirs] = servers.send(entry).await;
    let equal = comparison::equal(&ours, &theirs);
    equal.map_err(|difference| TestCaseError::fail(format!("{entry:.500?}: {difference}")))?;
    Ok(ours.json())
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
