//! Figures of the index equal those of the table, in two implementations of DynamoDB.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, GlobalSecondaryIndex, Projection, ProjectionType};
use items::TableNames;
use service::App;
use store::Store;

use crate::support::{
    Operation, Project, ask_counting, client_of, creation, credential_attributes, map, n, s,
    service, sha256,
};

const TABLES: [&str; 2] = ["indexed-responses", "indexed-credentials"];

async fn create_tables(dynamodb: &Client) {
    let responses = creation(dynamodb, TABLES[0], &["shard", "at"]);
    let projection = Projection::builder()
        .projection_type(ProjectionType::Include)
        .set_non_key_attributes(Some(vec!["rating".to_owned(), "dismissed".to_owned()]))
        .build();
    let index = GlobalSecondaryIndex::builder()
        .index_name("outcomes")
        .set_key_schema(responses.get_key_schema().clone())
        .projection(projection);
    let responses = responses.global_secondary_indexes(index.build().unwrap());
    responses.send().await.unwrap();
    let credentials = creation(dynamodb, TABLES[1], &["digest"]);
    credentials.send().await.unwrap();
}

/// Writes records of every kind, of which a shard of the table needs two pages and one of the index a single
/// one.
async fn put_records(project: &Project) {
    let record = |id: u32| {
        let (month, day) = (1 + id % 3, 1 + id % 28);
        let created = format!("2026-{month:02}-{day:02}T08:30:00.000Z");
        let mut item = project.response_key(&created, &id.to_string()).to_vec();
        item.push(("traits", map(&[("comment", s(&"x".repeat(60_000)))])));
        match id % 5 {
            0 => item.push(("dismissed", AttributeValue::Bool(true))),
            1 => {}
            // A rating of 11 is damaged.
            _ => item.push(("rating", n(id % 12))),
        }
        item
    };
    // A transaction has at most 4 MB.
    for first in [0, 60] {
        let records = (first..first + 60).map(record).collect();
        project.put_many(TABLES[0], records).await;
    }
    let mut key = credential_attributes(&["p"], &["statistics"]);
    key.push(("digest", s(&sha256("any key"))));
    project.put(TABLES[1], &key).await;
}

/// Returns the response, and the numbers of records and of damaged ones.
async fn answer(app: &App, question: &str) -> (String, [u64; 2]) {
    let (reply, counts) = ask_counting(app, Operation::Statistics, question).await;
    assert_eq!(reply.status, 200, "{question}");
    (reply.text().to_owned(), counts)
}

async fn figures_agree(endpoint: &str) {
    let project = Project {
        id: "p".to_owned(),
        read_key: "any key".to_owned(),
        username: String::new(),
        password: String::new(),
        dynamodb: client_of(endpoint),
    };
    create_tables(&project.dynamodb).await;
    put_records(&project).await;
    let tables = TableNames {
        users: "users".to_owned(),
        responses: TABLES[0].to_owned(),
        credentials: TABLES[1].to_owned(),
    };
    let app = |index| App::new(Store::of_dynamodb(&project.dynamodb, tables.clone(), index));
    let (from_table, from_index) = (app(None), app(Some("outcomes".to_owned())));
    let all = "startDate=2026-01-01&endDate=2027-01-01";
    let weekly = "startDate=2026-01-01&endDate=2026-04-01&interval=week&timezone=America/New_York";
    let part = "startDate=2026-01-10&endDate=2026-02-20&confidence=90";
    let none = "startDate=2025-01-01&endDate=2026-01-01";
    for question in [all, weekly, part, none] {
        let of_index = answer(&from_index, question).await;
        assert_eq!(of_index, answer(&from_table, question).await, "{question}");
    }
    let (_, [records, damaged]) = answer(&from_index, all).await;
    assert_eq!(records, 120);
    assert!(damaged > 0);
}

#[tokio::test]
async fn figures_of_the_index_equal_those_of_the_table_in_the_embedded_store() {
    figures_agree(&format!("http://{}", service().dynamodb_address().unwrap())).await;
}

#[tokio::test]
#[ignore = "needs another implementation of DynamoDB, empty, at OTHER_DYNAMODB"]
async fn figures_of_the_index_equal_those_of_the_table_in_another_store() {
    figures_agree(&std::env::var("OTHER_DYNAMODB").unwrap()).await;
}
